// Registers passkeys and logs in with them, for whatever on the page says so:
//   <form data-passkey="register" data-next="/" data-login="/login"> … fields … </form>
//   <form data-passkey="login" data-next="/"><input autocomplete="username webauthn"> … </form>
// A child with data-passkey-message is told what went wrong. Its routes lie beside this script.

const bytesOf = (text) =>
  Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (one) => one.charCodeAt(0));
const textOf = (buffer) =>
  btoa(Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join(""))
    .replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");

// By hand, since browsers have parseCreationOptionsFromJSON and toJSON only of late.
const descriptors = (list = []) => list.map((one) => ({ ...one, id: bytesOf(one.id) }));
const toCreate = (options) => ({
  ...options,
  challenge: bytesOf(options.challenge),
  user: { ...options.user, id: bytesOf(options.user.id) },
  excludeCredentials: descriptors(options.excludeCredentials),
});
const toGet = (options) => ({
  ...options,
  challenge: bytesOf(options.challenge),
  allowCredentials: descriptors(options.allowCredentials),
});
const toJson = ({ id, rawId, type, response }) => {
  const told = { clientDataJSON: textOf(response.clientDataJSON) };
  if (response.attestationObject) {
    told.attestationObject = textOf(response.attestationObject);
    told.transports = response.getTransports?.() ?? [];
  } else {
    told.authenticatorData = textOf(response.authenticatorData);
    told.signature = textOf(response.signature);
    told.userHandle = response.userHandle ? textOf(response.userHandle) : null;
  }
  return { id, rawId: textOf(rawId), type, response: told };
};

const ask = async (path, body) => {
  const reply = await fetch(new URL(path, import.meta.url), {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const told = reply.status === 204 ? {} : await reply.json().catch(() => ({}));
  if (!reply.ok) {
    const detail = told.errors?.[0]?.detail ?? told.detail ?? "Something went wrong. Try again.";
    const isStale = /insufficient_user_authentication/.test(reply.headers.get("WWW-Authenticate"));
    throw Object.assign(new Error(detail), { status: reply.status, isStale });
  }
  return told;
};

let waiting = null;  // what fills the form in while the page is read
let refill = () => {};  // begins that anew

// One more for who is logged in: he shows anew who he is where that is long ago.
const beginToAdd = async () => {
  try {
    return await ask("registration/options", {});
  } catch (error) {
    if (error.status !== 401) {
      throw error;
    }
    await login().catch((refused) => {
      // Who has none at hand, but a password, has to know the way that is left.
      throw refused.name === "NotAllowedError" ? error : refused;
    });
    return ask("registration/options", {});
  }
};

// name: of somebody who has no account yet; nothing: one more for who is logged in.
export const register = async (name) => {
  const { publicKey, ticket } = await (name === null
    ? beginToAdd() : ask("registration/options", { name }));
  waiting?.abort();
  const credential = await navigator.credentials.create({ publicKey: toCreate(publicKey) });
  return ask("registration", { credential: toJson(credential), ticket });
};

export const login = async ({ mediation, signal, begun } = {}) => {
  const { publicKey, ticket } = await ask("login/options", {});
  begun?.(publicKey);
  if (!signal) {
    waiting?.abort();
  }
  const credential = await navigator.credentials.get({ publicKey: toGet(publicKey), mediation, signal });
  return ask("login", { credential: toJson(credential), ticket });
};

const said = (error) => {
  const known = {
    NotAllowedError: "No passkey was used.",
    InvalidStateError: "This authenticator already has a passkey for you.",
    SecurityError: "Passkeys cannot be used on this page.",
    NotSupportedError: "This authenticator does not support the required passkey type.",
  };
  return known[error.name] ?? error.message;
};

const tell = (form, text) => {
  const place = form.querySelector("[data-passkey-message]");
  if (place) {
    place.textContent = text;
  }
};

// Only within this site: what is in the page may have come with its address.
const goOn = (form) => {
  const next = new URL(form.dataset.next ?? "", location.href);
  if (next.origin !== location.origin) {
    location.assign("/");
    return;
  }
  // As along a redirect, the fragment stays: of the link of a mail it is the token.
  next.hash ||= location.hash;
  const isHere = next.pathname + next.search === location.pathname + location.search;
  location.assign(next);
  if (isHere && next.hash) {
    location.reload();  // a change of the fragment alone loads nothing
  }
};

// Where he shows who he is by a password, and comes back from.
const logIn = (form) => {
  const to = new URL(form.dataset.login, location.href);
  to.searchParams.set("next", location.pathname + location.search);
  location.assign(to.origin === location.origin ? to : "/");
};

const run = async (form, work) => {
  tell(form, "");
  const buttons = [...form.querySelectorAll("button")].filter((button) => !button.disabled);
  buttons.forEach((button) => { button.disabled = true; });
  try {
    await work();
    goOn(form);
  } catch (error) {
    if (error.isStale && form.dataset.login) {
      logIn(form);
      return;
    }
    tell(form, said(error));
    refill();
  } finally {
    buttons.forEach((button) => { button.disabled = false; });
  }
};

// What is the longest that a browser's clock waits for.
const delayMax = 2 ** 31 - 1;

const fill = async (form) => {
  if (!(await window.PublicKeyCredential?.isConditionalMediationAvailable?.())) {
    return;
  }
  waiting?.abort();
  const mine = new AbortController();
  waiting = mine;
  let ending = null;
  // What was begun ends at the server, while a page is open for hours.
  const begun = ({ timeout }) => {
    ending = setTimeout(() => fill(form), Math.min(0.8 * timeout, delayMax));
  };
  try {
    await login({ mediation: "conditional", signal: mine.signal, begun });
    goOn(form);
  } catch (error) {
    if (error.name !== "AbortError") {
      tell(form, said(error));
      // Not at once: an authenticator that asks nobody would be refused again and again.
      form.addEventListener("focusin", () => fill(form), { once: true });
    }
  } finally {
    clearTimeout(ending);
  }
};

for (const form of document.querySelectorAll("form[data-passkey]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const name = new FormData(form).get("name");
    run(form, () => (form.dataset.passkey === "register" ? register(name) : login()));
  });
  if (form.dataset.passkey === "login" && form.querySelector('[autocomplete~="webauthn"]')) {
    refill = () => fill(form);
    refill();
  }
}
