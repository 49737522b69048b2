// Applies the saved color scheme before the first paint.
(() => {
  let chosen = null;
  try { chosen = localStorage.getItem('eider-colors'); } catch { /* a browser without storage */ }
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.colors = chosen;
})();
