import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useLiveSource } from '../features/live/index.js';
import { LoginForm } from '../features/session/index.js';

const route = getRouteApi('/login');

export function LoginPage() {
  const router = useRouter();
  const live = useLiveSource();
  const search = route.useSearch();
  useEffect(() => {
    document.title = 'Log in · Uncaged Workflow';
  }, []);
  return (
    <main className="mx-auto flex min-h-full w-full max-w-sm flex-col justify-center gap-6 p-6">
      <header className="flex items-center gap-3">
        <img src="/icon.svg" alt="" className="size-8" />
        <div>
          <h1 className="text-lg font-semibold">Uncaged Workflow</h1>
          <p className="text-sm text-muted">Workflows of agents, on all your machines.</p>
        </div>
      </header>
      <LoginForm
        onLoggedIn={() => {
          live.restart();
          router.history.replace(search.return ?? '/');
        }}
      />
    </main>
  );
}
