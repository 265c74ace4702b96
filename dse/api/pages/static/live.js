// Renews the page's main part while something on it is on its way; without scripts the browser reloads the page.
const PAUSE_MS = 2000;

let first = null;

// How long what is left will take, from what this page has seen happen.
function tellTimeLeft() {
  const place = document.querySelector("[data-left]");
  if (!place) return;
  const done = Number(place.dataset.done), now = Date.now();
  first ??= { done, now };
  if (done <= first.done) return;
  const seconds = ((place.dataset.total - done) * (now - first.now)) / (done - first.done) / 1000;
  const rounded = seconds < 100 ? `${Math.ceil(seconds)} s` : `${Math.round(seconds / 60)} min`;
  place.textContent = `, about ${rounded} left`;
}

async function renew() {
  const old = document.querySelector("main");
  if (!old.hasAttribute("data-live")) return;
  try {
    const response = await fetch(location.href);
    if (response.redirected) return location.reload();
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const chosen = [...old.querySelectorAll("input:checked")].map((box) => box.value);
    const main = page.querySelector("main");
    for (const box of main.querySelectorAll("input[type=checkbox]")) box.checked = chosen.includes(box.value);
    old.replaceWith(main);
    tellTimeLeft();
  } catch {
    // The server does not answer; it is asked again.
  }
  setTimeout(renew, PAUSE_MS);
}

tellTimeLeft();
setTimeout(renew, PAUSE_MS);
