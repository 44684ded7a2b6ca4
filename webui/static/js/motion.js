// A job that goes from one lane to another is seen to go there. It starts where it was and moves to where it is.
(function () {
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const MILLIS = 320;
  let places = new Map();

  const cards = () => document.querySelectorAll("#board .job[id]");

  function remember() {
    places = new Map([...cards()].map((card) => [card.id, card.getBoundingClientRect()]));
  }

  function move() {
    if (still.matches) return;
    for (const card of cards()) {
      const before = places.get(card.id), now = card.getBoundingClientRect();
      if (!before || !now.width || !before.width) continue;
      const x = before.x - now.x, y = before.y - now.y;
      if (Math.hypot(x, y) < 12) continue;
      card.animate([{ transform: `translate(${x}px, ${y}px)`, zIndex: 1 }, { transform: "none", zIndex: 1 }], { duration: MILLIS, easing: "ease-out" });
    }
  }

  document.addEventListener("htmx:before:swap", remember);
  document.addEventListener("htmx:after:swap", move);
})();
