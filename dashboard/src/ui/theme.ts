export type Theme = 'system' | 'light' | 'dark';

/** Also read by public/theme.js before the first paint. */
const KEY = 'uwf.theme';

export function currentTheme(): Theme {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

/** Applies a theme to the page; it stays for later visits where the browser keeps anything. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    if (theme === 'system') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch (error) {
    // Storage is forbidden in this browser: the choice lasts as long as the page.
    if (!(error instanceof DOMException)) throw error;
  }
}
