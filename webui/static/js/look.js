// What the page looks at (a job, a window of time) goes along with each action, so that it stays in view.
(function () {
  addEventListener("formdata", (event) => {
    if (event.target.method === "get") {
      // Such a form says all of it by itself, in the address.
      for (const name of ["shown", "state", "look"]) event.formData.delete(name);
      return;
    }
    const look = document.getElementById("board")?.dataset.look;
    if (look) event.formData.set("look", look);
  });
})();
