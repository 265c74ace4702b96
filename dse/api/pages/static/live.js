// Renews the page's main part while something on it is on its way; without scripts the browser reloads the page.
const PAUSE_MS = 2000;

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
  } catch {
    // The server does not answer; it is asked again.
  }
  setTimeout(renew, PAUSE_MS);
}

setTimeout(renew, PAUSE_MS);
