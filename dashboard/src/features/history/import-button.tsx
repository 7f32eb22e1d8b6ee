import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { FileUp } from 'lucide-react';
import { type ChangeEvent, useRef, useState } from 'react';
import { failureText, type ImportProgress, importPack, keys } from '../../api/index.js';
import { Button, Dialog, formatBytes, formatCount, Notice } from '../../ui/index.js';
import { useRefusal } from '../session/index.js';

/** Takes a pack from this computer and gives it to a node. */
export function ImportButton({ node }: { node: string }) {
  const queries = useQueryClient();
  const refused = useRefusal(node, 'publish');
  const picker = useRef<HTMLInputElement>(null);
  const [progress, setProgress] = useState<ImportProgress | null>(null);
  const running = useRef<AbortController>(null);
  const upload = useMutation({
    mutationFn: (file: File) => {
      running.current = new AbortController();
      setProgress({ phase: 'sending', done: 0, total: file.size });
      return importPack(node, file, setProgress, running.current.signal);
    },
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: keys.lists });
      void queries.invalidateQueries({ queryKey: keys.machine(node) });
    },
  });
  const onPick = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const file = target.files?.[0];
    // The same file once more is a change, too.
    target.value = '';
    if (file) upload.mutate(file);
  };
  const close = () => {
    running.current?.abort(new Error('You called it off; nothing was taken in.'));
    upload.reset();
  };
  return (
    <>
      <input
        ref={picker}
        type="file"
        accept=".uwfpack"
        onChange={onPick}
        className="hidden"
        aria-label="Pack to import"
      />
      <Button
        icon={<FileUp className="size-4" aria-hidden />}
        title="Takes in a thread that was exported, to be read and forked here"
        refused={refused}
        onClick={() => picker.current?.click()}
      >
        Import
      </Button>
      <Dialog
        title={`Import to ${node}`}
        description="Everything in the pack is hashed again before it is taken in."
        open={!upload.isIdle}
        onOpenChange={(open) => !open && close()}
      >
        <div className="flex flex-col gap-3 p-4">
          {upload.isPending && progress !== null && <Progress progress={progress} />}
          {upload.isError && <Notice kind="error">{failureText(upload.error)}</Notice>}
          {upload.data && (
            <Notice kind="info">
              {formatCount(upload.data.nodes)} entries, {formatCount(upload.data.newNodes)} of them
              new here.{' '}
              <Link
                to="/nodes/$node/threads/$id"
                params={{ node, id: upload.data.threadId }}
                className="font-medium underline"
              >
                Open the thread
              </Link>
            </Notice>
          )}
          <Button className="self-end" onClick={close}>
            {upload.isPending ? 'Call it off' : 'Close'}
          </Button>
        </div>
      </Dialog>
    </>
  );
}

function Progress({ progress }: { progress: ImportProgress }) {
  if (progress.phase === 'storing')
    return <p role="status">Taking it in: {formatCount(progress.done)} entries…</p>;
  const { done, total } = progress;
  const isOut = done >= total;
  return (
    <div className="flex flex-col gap-1 text-sm">
      <progress
        aria-label="Sent"
        className="h-2 w-full accent-accent-solid"
        max={Math.max(1, total)}
        value={isOut ? undefined : done}
      />
      <p role="status">
        {isOut
          ? 'All of it is sent; the node takes it in…'
          : `${formatBytes(done)} of ${formatBytes(total)} sent`}
      </p>
    </div>
  );
}
