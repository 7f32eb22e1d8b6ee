import { useMutation, useQueryClient } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { failureText, isLoggedOut, isProblem, keys, logIn } from '../../api/index.js';
import { Button, Field, inputLook } from '../../ui/index.js';

/** Why a log-in was refused, for the person who typed the token. */
export function refusedBecause(error: unknown): string {
  if (isProblem(error, 'rate-limited')) return failureText(error);
  if (isLoggedOut(error)) return `This token was refused: ${failureText(error)}`;
  return failureText(error);
}

export function LoginForm({ onLoggedIn }: { onLoggedIn: () => void }) {
  const queries = useQueryClient();
  const [token, setToken] = useState('');
  const attempt = useMutation({
    mutationFn: () => logIn(token.trim()),
    meta: { logsIn: true },
    onSuccess: (session) => {
      queries.setQueryData(keys.session, session);
      setToken('');
      onLoggedIn();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (token.trim() !== '' && !attempt.isPending) attempt.mutate();
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <Field
        label="Key or token"
        hint={
          <>
            What served this page said at its start where its key is. An operator can make a token
            for you: <code>uwf-gateway token --role viewer --name you</code>
          </>
        }
        problem={attempt.isError ? refusedBecause(attempt.error) : null}
      >
        {(tied) => (
          <input
            {...tied}
            type="password"
            name="token"
            autoComplete="current-password"
            spellCheck={false}
            // The page has nothing else.
            // biome-ignore lint/a11y/noAutofocus: the only field of a page that is only for it
            autoFocus
            className={inputLook}
            value={token}
            onChange={(event) => setToken(event.target.value)}
          />
        )}
      </Field>
      <Button
        type="submit"
        look="primary"
        icon={<KeyRound className="size-4" aria-hidden />}
        refused={token.trim() === '' ? 'Paste a key or token first.' : null}
      >
        {attempt.isPending ? 'Logging in…' : 'Log in'}
      </Button>
    </form>
  );
}
