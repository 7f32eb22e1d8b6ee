// Before the first paint: the theme that was chosen here; without one the system's, which the style sheet knows.
(() => {
  try {
    const theme = localStorage.getItem('uwf.theme');
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  } catch {
    // Storage is forbidden in this browser: the system's theme it is.
  }
})();
