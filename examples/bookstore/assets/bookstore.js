// Shows the stock as it changes, and takes the tokens of links. Pages are whole without it.
const shown = document.querySelectorAll("[data-stock-of]");

function show(change) {
  for (const place of document.querySelectorAll(`[data-stock-of="${Number(change.book_id)}"]`)) {
    place.querySelector("output").textContent = String(change.stock);
    place.classList.toggle("out", change.stock === 0);
  }
  for (const button of document.querySelectorAll(`[data-buys="${Number(change.book_id)}"]`)) {
    button.disabled = change.stock <= Number(button.dataset.has);
  }
}

function follow(waitMs) {
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  const socket = new WebSocket(`${scheme}//${location.host}/live/stock`);
  let wait = waitMs;
  socket.onopen = () => {
    wait = 1000;
    document.documentElement.dataset.live = "on";
  };
  socket.onmessage = (event) => show(JSON.parse(event.data));
  socket.onclose = () => {
    delete document.documentElement.dataset.live;
    setTimeout(() => follow(Math.min(wait * 2, 60000)), wait);
  };
}

// Links of mails end in a token, which is in no request then: it goes from the address into the form.
const token = document.querySelector("[name=token]");
if (token && location.hash.length > 1) {
  token.value = location.hash.slice(1);
  token.closest(".field").hidden = true;
  history.replaceState(null, "", location.pathname);
}

// Such a link may lead to the login first, and goes on behind it: browsers keep the token along redirects.
for (const form of document.querySelectorAll("form[action='/login']")) {
  form.action += location.hash;
}

if (shown.length > 0) {
  follow(1000);
}
