import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { mayPass } from '../api/index.js';
import { RETRY_PAGE_MS } from '../limits.js';
import { Empty, Failed, Loading, Page } from '../ui/index.js';

/** While a view's code or its first answer is on its way. */
export function PendingPage() {
  return <Loading what="the page" className="pt-24" />;
}

/** A view that broke, or could not be loaded. What may pass, such as a gateway that starts again, is tried again by itself. */
export function BrokenPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  useEffect(() => {
    if (!mayPass(error)) return;
    const timer = setInterval(() => void router.invalidate(), RETRY_PAGE_MS);
    return () => clearInterval(timer);
  }, [error, router]);
  return (
    <main id="main" className="pt-16">
      <Failed
        what={mayPass(error) ? 'this page yet; it is tried again by itself' : 'this page'}
        error={error}
        onRetry={() => {
          reset();
          void router.invalidate();
        }}
      />
    </main>
  );
}

export function MissingPage() {
  return (
    <Page title="No such page">
      <Empty>
        This address leads nowhere here.{' '}
        <Link to="/" className="text-accent underline">
          What is running now
        </Link>
      </Empty>
    </Page>
  );
}
