import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { Empty, Failed, Loading, Page } from '../ui/index.js';

/** While a view's code or its first answer is on its way. */
export function PendingPage() {
  return <Loading what="the page" className="pt-24" />;
}

/** A view that broke, or could not be loaded: the rest of the page still works. */
export function BrokenPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  return (
    <main id="main" className="pt-16">
      <Failed
        what="this page"
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
