import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { House, type LucideIcon, Rows3, Server } from 'lucide-react';
import { StartButton } from '../features/start/index.js';
import { ConnectionBanner, ConnectionState } from './connection-state.js';
import { menuPlace } from './menu-place.js';
import { SessionMenu } from './session-menu.js';
import { ThemeSwitch } from './theme-switch.js';

const PLACES: {
  to: '/' | '/threads' | '/nodes';
  word: string;
  Icon: LucideIcon;
}[] = [
  { to: '/', word: 'Home', Icon: House },
  { to: '/threads', word: 'Threads', Icon: Rows3 },
  { to: '/nodes', word: 'Nodes', Icon: Server },
];

/** Frame of every view: where one can go, how the connection stands, who one is. At the side, or below on a narrow screen. */
export function Shell() {
  const here = useLocation({ select: ({ pathname }) => menuPlace(pathname) });
  return (
    <div className="min-h-full md:grid md:grid-cols-[12rem_minmax(0,1fr)]">
      <a
        href="#main"
        className="sr-only z-50 rounded bg-panel px-3 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        To the content
      </a>
      <header className="flex items-center gap-2 border-b bg-panel px-3 py-2 md:sticky md:top-0 md:h-dvh md:flex-col md:items-stretch md:gap-4 md:border-r md:border-b-0 md:py-4">
        <Link to="/" className="flex items-center gap-2 px-1 font-semibold">
          <img src="/icon.svg" alt="" className="size-6" />
          <span>Uncaged</span>
        </Link>
        <div className="ml-auto md:ml-0">
          <StartButton className="md:w-full" />
        </div>
        <nav
          aria-label="Places"
          className="fixed inset-x-0 bottom-0 z-30 flex border-t bg-panel pb-[env(safe-area-inset-bottom)] md:static md:flex-col md:gap-0.5 md:border-t-0"
        >
          {PLACES.map(({ to, word, Icon }) => (
            <Link
              key={to}
              to={to}
              // Where it is exact the router says the same.
              activeOptions={{ exact: true, includeSearch: false }}
              aria-current={to === here ? 'page' : undefined}
              className="flex flex-1 flex-col items-center gap-0.5 py-2 text-xs text-muted hover:text-text aria-[current=page]:font-medium aria-[current=page]:text-accent md:flex-row md:gap-2 md:rounded md:px-2 md:py-1.5 md:text-sm md:hover:bg-hover md:aria-[current=page]:bg-accent-soft"
            >
              <Icon className="size-4" aria-hidden />
              {word}
            </Link>
          ))}
        </nav>
        <div className="flex items-center gap-1 md:mt-auto md:flex-col md:items-stretch md:gap-2">
          <ConnectionState />
          <ThemeSwitch />
          <SessionMenu />
        </div>
      </header>
      <div className="min-w-0 pb-16 md:pb-0">
        <ConnectionBanner />
        <Outlet />
      </div>
    </div>
  );
}
