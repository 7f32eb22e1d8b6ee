import { Monitor, Moon, Sun } from 'lucide-react';
import { useState } from 'react';
import { applyTheme, Button, currentTheme, type Theme } from '../ui/index.js';

const NEXT: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };
const LOOKS = {
  system: { Icon: Monitor, word: 'System' },
  light: { Icon: Sun, word: 'Light' },
  dark: { Icon: Moon, word: 'Dark' },
} as const;

/** Light, dark, or as the system has it. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState(currentTheme);
  const { Icon, word } = LOOKS[theme];
  return (
    <Button
      look="quiet"
      className="md:justify-start md:px-1"
      icon={<Icon className="size-4" aria-hidden />}
      title={`Theme: ${word}. Change to ${LOOKS[NEXT[theme]].word}.`}
      aria-label={`Theme: ${word}. Change to ${LOOKS[NEXT[theme]].word}.`}
      onClick={() => {
        applyTheme(NEXT[theme]);
        setTheme(NEXT[theme]);
      }}
    >
      <span className="hidden md:inline">{word}</span>
    </Button>
  );
}
