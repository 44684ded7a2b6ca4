// Keeps a page of the live queue up to date. It decides nothing: it hears that something has changed, and lets the
// page ask for itself anew.
//
// A browser opens few connections to one host, and a stream keeps one. So of all tabs that are seen, one listens
// and tells the others; a hidden tab neither listens nor asks.
(function () {
  const nav = document.querySelector("[data-stream]");
  if (!nav) return;
  const url = new URL(nav.dataset.stream, location.href).href;
  const channel = "BroadcastChannel" in window ? new BroadcastChannel(url) : null;
  const POLL = 3000;
  const isFollowing = document.getElementById("live") !== null;
  let source = null, poll = 0, giveUp = null, waiting = null;

  const pulse = (text) => { const place = isFollowing && document.getElementById("pulse"); if (place && place.textContent !== text) place.textContent = text; };

  function refresh() {
    if (document.hidden) return;
    const live = document.getElementById("live");
    if (live?.querySelector("input:checked")) pulse("stands still while you select");
    else if (live?.hasAttribute("hx-get")) { if (poll === 0) pulse("live"); htmx.trigger(live, "refresh"); }
    else if (!live && isFollowing) location.reload();  // what went wrong stands in its place
  }

  function tick() {
    channel?.postMessage("tick");
    refresh();
  }

  function ask() {
    pulse("asks every 3 s");
    clearInterval(poll);
    poll = setInterval(tick, POLL);
  }

  function listen() {
    source = new EventSource(url);
    source.onopen = () => { clearInterval(poll); poll = 0; pulse("live"); };
    source.onmessage = tick;
    // A refused stream is closed for good; a broken one comes back by itself.
    source.onerror = () => { if (source && source.readyState === EventSource.CLOSED) ask(); };
  }

  function begin() {
    if (document.hidden || giveUp || waiting) return;
    if (!navigator.locks) { ask(); giveUp = () => {}; return; }
    waiting = new AbortController();
    pulse("live");
    navigator.locks.request(url, { signal: waiting.signal }, () => new Promise((done) => {
      waiting = null;
      giveUp = done;
      listen();
    })).catch(() => { /* given up before it was our turn */ });
  }

  function end() {
    waiting?.abort();
    waiting = null;
    source?.close();
    source = null;
    clearInterval(poll);
    giveUp?.();
    giveUp = null;
  }

  // Instants in the reader's own zone, with its offset; the title keeps UTC.
  const two = (number) => String(Math.abs(number)).padStart(2, "0");
  function local() {
    for (const time of document.querySelectorAll("time[datetime]")) {
      const at = new Date(time.dateTime);
      if (isNaN(at)) continue;
      const offset = -at.getTimezoneOffset();
      const zone = (offset < 0 ? "-" : "+") + two(Math.trunc(offset / 60)) + ":" + two(offset % 60);
      const words = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}${zone}`;
      if (time.textContent !== words) time.textContent = words;
    }
  }

  channel?.addEventListener("message", refresh);
  document.addEventListener("visibilitychange", () => { if (document.hidden) end(); else { begin(); refresh(); } });
  addEventListener("pagehide", end);
  addEventListener("pageshow", (event) => { if (event.persisted) { begin(); refresh(); } });
  document.addEventListener("htmx:after:swap", local);
  addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-copy]");
    if (!button) return;
    navigator.clipboard?.writeText(document.getElementById(button.dataset.copy).textContent)
      .then(() => { button.textContent = "Copied"; }, () => { button.textContent = "Not allowed"; });
  });
  local();
  begin();
})();
