import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { LogOut } from 'lucide-react';
import { keys, logOut } from '../api/index.js';
import { useLiveSource } from '../features/live/index.js';
import { useSession } from '../features/session/index.js';
import { Button } from '../ui/index.js';

/** Who is logged in, and the way out. */
export function SessionMenu() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const live = useLiveSource();
  const session = useSession();
  const out = useMutation({
    mutationFn: logOut,
    onSuccess: async () => {
      queries.setQueryData(keys.session, null);
      // The stream was opened by who is gone; refused now, it tells the other tabs.
      live.restart();
      await navigate({ to: '/login' });
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== keys.session[0] });
    },
  });
  if (session === null) return null;
  return (
    <div className="flex items-center gap-1">
      <span className="hidden min-w-0 flex-1 truncate px-1 text-xs text-muted md:block">
        {session.name === session.role ? session.role : `${session.name} · ${session.role}`}
      </span>
      <Button
        look="quiet"
        aria-label={`Log out ${session.name}`}
        title={`Log out ${session.name} (${session.role})`}
        icon={<LogOut className="size-4" aria-hidden />}
        onClick={() => out.mutate()}
      />
    </div>
  );
}
