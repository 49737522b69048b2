// Takes the colours that were chosen before, ahead of the first picture. Must not wait for anything.
(() => {
  let chosen = null;
  try { chosen = localStorage.getItem('eider-colours'); } catch { /* a browser without storage */ }
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.colours = chosen;
})();
