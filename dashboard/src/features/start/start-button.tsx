import { useNavigate } from '@tanstack/react-router';
import { Play } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Button, Dialog, Loading, MissingPart } from '../../ui/index.js';
import { useRefusal } from '../session/index.js';

const StartForm = lazy(() =>
  import('./start-form.js').then(
    (module) => ({ default: module.StartForm }),
    () => ({ default: MissingPart }),
  ),
);

/** Opens the dialog that starts a thread; the thread's page follows. */
export function StartButton({
  node = null,
  workflow = null,
  className,
}: {
  node?: string | null;
  workflow?: string | null;
  className?: string;
}) {
  const navigate = useNavigate();
  const [open, setOpen] = useState(false);
  const refused = useRefusal(node, 'run');
  return (
    <>
      <Button
        look="primary"
        className={className}
        icon={<Play className="size-4" aria-hidden />}
        title="Starts a workflow on a node"
        refused={refused}
        onClick={() => setOpen(true)}
      >
        Start
      </Button>
      <Dialog
        title={workflow === null ? 'Start a workflow' : `Start ${workflow}`}
        description="It runs on the node; this page only watches."
        open={open}
        onOpenChange={setOpen}
      >
        <Suspense fallback={<Loading what="the form" />}>
          <StartForm
            node={node}
            workflow={workflow}
            onStarted={({ node: where, id }) => {
              setOpen(false);
              void navigate({ to: '/nodes/$node/threads/$id', params: { node: where, id } });
            }}
          />
        </Suspense>
      </Dialog>
    </>
  );
}
