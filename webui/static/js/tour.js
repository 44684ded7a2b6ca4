// The tour: shown on the first visit, left at any time, and found again beside the keys.
(function () {
  const tour = document.getElementById("tour");
  if (!tour) return;
  const steps = [...tour.querySelectorAll("li")];
  let at = 0;

  function spot(selector) {
    for (const seen of document.querySelectorAll(".spot")) seen.classList.remove("spot");
    if (selector) document.querySelector(selector)?.classList.add("spot");
  }

  function show(step) {
    at = step;
    steps.forEach((item, place) => { item.hidden = place !== at; });
    document.getElementById("tour-at").textContent = String(at + 1);
    document.getElementById("tour-back").hidden = at === 0;
    document.getElementById("tour-next").textContent = at === steps.length - 1 ? "Done" : "Next";
    spot(steps[at].dataset.spot);
  }

  function begin() {
    tour.hidden = false;
    show(0);
  }

  function end() {
    tour.hidden = true;
    spot(null);
    try { localStorage.setItem("tour", "seen"); } catch { /* storage may be forbidden: it is told again next time */ }
  }

  document.getElementById("tour-next").addEventListener("click", () => (at === steps.length - 1 ? end() : show(at + 1)));
  document.getElementById("tour-back").addEventListener("click", () => show(Math.max(0, at - 1)));
  document.getElementById("tour-end").addEventListener("click", end);
  document.getElementById("tour-again")?.addEventListener("click", () => { document.getElementById("keys").close(); begin(); });
  document.addEventListener("htmx:after:swap", () => { if (!tour.hidden) spot(steps[at].dataset.spot); });

  let seen = null;
  try { seen = localStorage.getItem("tour"); } catch { seen = "seen"; }
  if (!seen && window.top === window) begin();
})();
