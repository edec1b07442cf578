// Keeps an open page as the server has it: asks again every few seconds and changes only what differs,
// so that nothing flashes and what is scrolled, opened, selected or typed stays as it is.
"use strict";
(() => {
  const wait = Number(document.body.dataset.seconds) * 1000;
  const state = document.querySelector("[data-gone]");
  let mark = "", timer = 0, asking = false;

  const keyOf = (node) => (node.nodeType === 1 ? node.id || node.dataset?.key || "" : "");
  const alike = (a, b) => a.nodeType === b.nodeType && a.nodeName === b.nodeName && keyOf(a) === keyOf(b);

  function attributes(old, next) {
    for (const { name } of [...old.attributes])
      if (!next.hasAttribute(name) && !(name === "open" && old.localName === "details")) old.removeAttribute(name);
    for (const { name, value } of [...next.attributes])
      if (old.getAttribute(name) !== value && !(name === "open" && old.localName === "details"))
        old.setAttribute(name, value);
  }

  function change(old, next) {
    if (old.nodeType !== 1) {
      if (old.data !== next.data) old.data = next.data;
      return;
    }
    if (old.hasAttribute("data-still") || old.isEqualNode(next)) return;
    attributes(old, next);
    const keyed = new Map();
    for (const child of old.childNodes) if (keyOf(child)) keyed.set(keyOf(child), child);
    let at = old.firstChild;
    for (const child of [...next.childNodes]) {
      const key = keyOf(child);
      let found = key ? keyed.get(key) : null;
      if (!key && at && alike(at, child)) found = at;
      if (found && alike(found, child)) {
        if (found === at) at = at.nextSibling;
        else old.insertBefore(found, at);
        change(found, child);
      } else {
        const fresh = document.importNode(child, true);
        if (key && fresh.classList) fresh.classList.add("fresh");
        old.insertBefore(fresh, at);
      }
    }
    while (at) {
      const gone = at;
      at = at.nextSibling;
      gone.remove();
    }
  }

  function tell(reached) {
    const gone = document.documentElement.classList.contains("gone");
    if (reached && !gone) return;
    if (!reached === gone) return;
    document.documentElement.classList.toggle("gone", !reached);
    state.textContent = reached ? state.dataset.back : state.dataset.gone;
    if (reached) setTimeout(() => { state.textContent = ""; }, 4000);
  }

  async function ask() {
    if (asking || document.hidden) return;
    asking = true;
    try {
      const headers = mark ? { "If-None-Match": mark } : {};
      const answer = await fetch(location.href, { headers, cache: "no-store" });
      if (answer.status !== 304) {
        if (!(answer.headers.get("Content-Type") || "").startsWith("text/html")) throw new Error("no page");
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        mark = answer.headers.get("ETag") || "";
        document.title = page.title;
        change(document.body, page.body);
      }
      tell(true);
    } catch {
      tell(false);
    }
    asking = false;
  }

  function again() {
    clearTimeout(timer);
    timer = setTimeout(async () => { await ask(); again(); }, wait);
  }

  document.addEventListener("visibilitychange", async () => {
    if (document.hidden) return;
    await ask();
    again();
  });
  again();
})();
