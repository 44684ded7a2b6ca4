// Light or dark, as the learner chose; and a mark for the style sheet that scripts run.
(function () {
  const root = document.documentElement;
  root.classList.add("scripted");
  let chosen = null;
  try { chosen = localStorage.getItem("theme"); } catch { /* storage may be forbidden: the system's theme it is */ }
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  addEventListener("DOMContentLoaded", () => {
    document.getElementById("theme")?.addEventListener("click", () => {
      const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = dark ? "light" : "dark";
      try { localStorage.setItem("theme", root.dataset.theme); } catch { /* not remembered, then */ }
    });
  });
})();
