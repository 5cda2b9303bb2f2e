// Asks the service for the parts of the page every two seconds, while somebody looks at it, and puts them in place.
"use strict";
const PAUSE = 2000, KEPT = "adeptree token";
const state = document.getElementById("state"), asks = document.getElementById("asks"), field = document.getElementById("token");
const needed = asks.dataset.token === "needed";
let token = sessionStorage.getItem(KEPT) || "", timer = 0;

function say(words, good) {
  state.textContent = words;
  state.className = good ? "" : "stale";
  state.setAttribute("role", good ? "none" : "alert"); // a screen reader is told of trouble, not of every renewal
}

async function renew() {
  clearTimeout(timer);
  try {
    const reply = await fetch("live", { headers: token ? { Authorization: "Bearer " + token } : {}, cache: "no-store" });
    asks.hidden = reply.status !== 401;
    if (reply.ok) {
      const parts = await reply.json();
      for (const [name, html] of Object.entries(parts)) {
        const place = document.getElementById(name);
        if (place && place.dataset.html !== html) {
          const open = [...place.querySelectorAll("details[open]")].map((part) => part.id);
          place.innerHTML = html;
          for (const id of open) document.getElementById(id)?.setAttribute("open", "");
          place.dataset.html = html;
        }
      }
      say("Renewed at " + new Date().toISOString().slice(0, 19) + "Z.", true);
    } else {
      say((await reply.json()).error, false);
    }
  } catch {
    say("The service does not answer; what is shown is from before. Trying again.", false);
  }
  if (!document.hidden) timer = setTimeout(renew, PAUSE);
}

function enter() {
  token = field.value.trim();
  sessionStorage.setItem(KEPT, token);
  renew();
}
document.getElementById("enter").addEventListener("click", enter);
field.addEventListener("keydown", (event) => { if (event.key === "Enter") enter(); });
document.addEventListener("visibilitychange", () => { if (!document.hidden && (token || !needed)) renew(); });
if (token || !needed) {
  renew();
} else {
  asks.hidden = false;
  say("This service asks for its token.", true);
}
