import type { ThreadDetail } from '@uncaged/protocol/api';
import { lazy, Suspense } from 'react';
import { Dialog, Loading, MissingPart } from '../../ui/index.js';

const ForkForm = lazy(() =>
  import('./fork-form.js').then(
    (module) => ({ default: module.ForkForm }),
    () => ({ default: MissingPart }),
  ),
);

type ForkDialogProps = {
  node: string;
  thread: ThreadDetail;
  open: boolean;
  /** Steps that are kept at first; null: as is usual. */
  keep: number | null;
  onClose: () => void;
  onForked: (id: string) => void;
};

/** Asks what a fork of a thread shall be. */
export function ForkDialog({ node, thread, open, keep, onClose, onForked }: ForkDialogProps) {
  return (
    <Dialog
      title={`Fork ${thread.workflow}`}
      description="A new thread that begins with steps of this one; this one stays as it is."
      open={open}
      onOpenChange={(next) => !next && onClose()}
    >
      <Suspense fallback={<Loading what="the form" />}>
        <ForkForm
          node={node}
          thread={thread}
          keep={keep}
          onForked={(id) => {
            onClose();
            onForked(id);
          }}
        />
      </Suspense>
    </Dialog>
  );
}
