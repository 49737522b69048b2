// Moves the token of a mailed link from the URL into the form, so that it is not in the history.
const token = document.querySelector('[name=token]');
if (token && location.hash.length > 1) {
  token.value = location.hash.slice(1);
  history.replaceState(null, '', location.pathname);
}
