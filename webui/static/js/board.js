// Between two answers of the server the page moves what time alone moves: the clock, the lease bars, the
// countdowns. It decides nothing: whatever happens at an instant comes from the queue.
(function () {
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let shownAt = 0;     // real time at which the present board arrived
  let frame = 0;       // frames and timers are numbered apart: each has its own variable, or we would
  let timer = 0;       // stop a timer of somebody else's
  let dragging = 0;    // the timer of a slider that was moved, and whose answer was not asked for yet

  const board = () => document.getElementById("board");
  const seconds = (millis) => (millis / 1000).toFixed(1);

  function shown() {
    const b = board();
    if (!b) return 0;
    const now = Number(b.dataset.now);
    if (b.dataset.next === undefined) return now;
    return Math.min(Number(b.dataset.next), now + (performance.now() - shownAt) * Number(b.dataset.rate));
  }

  function draw() {
    const now = shown();
    document.getElementById("clock").textContent = seconds(now);
    for (const bar of document.querySelectorAll("[data-until]")) bar.value = bar.dataset.until - now;
    for (const text of document.querySelectorAll("[data-left]")) text.textContent = seconds(text.dataset.left - now) + " s of lease left";
    for (const chip of document.querySelectorAll("[data-due]")) chip.textContent = "in " + seconds(chip.dataset.due - now) + " s";
  }

  function run() {
    if (!board() || board().dataset.next === undefined) return;
    draw();
    if (still.matches) timer = setTimeout(run, 1000);
    else frame = requestAnimationFrame(run);
  }

  function arrived() {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    shownAt = performance.now();
    follow();
    remember();
    run();
  }

  // On a narrow screen the timeline is wider than its pane: keep the present in view, whether it went out to the
  // right, or after a reset to the left, or because a window became narrower.
  function follow() {
    for (const pane of document.querySelectorAll(".tl .scroll")) {
      const line = pane.querySelector(".tl-now");
      if (!line) continue;
      const x = line.getBoundingClientRect().x - pane.getBoundingClientRect().x, room = pane.clientWidth, margin = 40;
      if (x > room - margin) pane.scrollLeft += x - room + margin;
      else if (x < margin) pane.scrollLeft += x - margin;
    }
  }

  // The address always says what a paused board looks like, so that it can be copied, kept, or loaded anew. A
  // playing one would change it too often for some browsers.
  function remember() {
    const b = board(), slider = document.getElementById("seek");
    if (!b) return;
    if (slider && !dragging && !slider.matches(":active")) slider.value = slider.getAttribute("value");
    if (b.dataset.address && b.dataset.next === undefined) history.replaceState(history.state, "", b.dataset.address + location.hash);
  }

  // Moving the slider travels along, a few times a second; what was chosen last always gets its answer.
  document.addEventListener("input", (event) => {
    if (event.target.id !== "seek" || dragging) return;
    dragging = setTimeout(() => { dragging = 0; document.getElementById("seek")?.form.requestSubmit(); }, 100);
  });

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("#share-copy");
    if (!button) return;
    try {
      await navigator.clipboard.writeText(document.getElementById("share-link").href);
      button.textContent = button.dataset.copied;
    } catch {
      say("The browser does not let this page copy. Copy the link by its own menu.");
    }
  });

  function say(text) {
    let notice = document.getElementById("notice");
    if (!notice) {
      notice = document.createElement("p");
      notice.id = "notice";
      board()?.prepend(notice);
    }
    notice.className = "notice refuse";
    notice.setAttribute("role", "alert");
    notice.textContent = text;
  }

  // What a learner does while the board plays happens at the instant that the page shows.
  // The state goes along, so that a board which the server has dropped meanwhile is built again from it.
  addEventListener("formdata", (event) => {
    event.formData.set("shown", String(Math.floor(shown())));
    const state = board()?.dataset.state;
    if (state) event.formData.set("state", state);
  });
  document.addEventListener("htmx:after:swap", arrived);
  addEventListener("resize", follow);
  document.addEventListener("htmx:error", () => say("The board does not answer. Is the program still running?"));

  const keys = { ".": "step", s: "second", p: "play", r: "reset", b: "back", f: "fork", e: "jump-expiry", x: "jump-refusal", v: "jump-violation" };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, dialog[open]")) return;
    if (event.key === "?") document.getElementById("keys").showModal();
    const id = keys[event.key];
    if (id) document.getElementById(id)?.click();
  });
  document.getElementById("keys-open")?.addEventListener("click", () => document.getElementById("keys").showModal());
  arrived();
})();
