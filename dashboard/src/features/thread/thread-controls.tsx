import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ThreadDetail } from '@uncaged/protocol/api';
import { type LucideIcon, OctagonX, Pause, Play, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { failureText, keys, type Order, orderThread, type RaisedLimits } from '../../api/index.js';
import { Button, Dialog, Notice } from '../../ui/index.js';
import { useRefusal } from '../session/index.js';
import { ORDER_EFFECTS, orderRefusal, ordersFor } from './orders.js';
import { needsMore, RaiseForm } from './raise-form.js';

const BUTTONS: Record<Order, { Icon: LucideIcon; word: string; busy: string }> = {
  pause: { Icon: Pause, word: 'Pause', busy: 'Pausing…' },
  resume: { Icon: Play, word: 'Resume', busy: 'Resuming…' },
  kill: { Icon: OctagonX, word: 'Kill', busy: 'Ending…' },
  retry: { Icon: RotateCcw, word: 'Retry', busy: 'Retrying…' },
};

type Given = { order: Order; raised: RaisedLimits };

/** What can be done with a thread now. */
export function ThreadControls({ node, thread }: { node: string; thread: ThreadDetail }) {
  const queries = useQueryClient();
  const refused = useRefusal(node, 'control');
  const [asking, setAsking] = useState<Order | null>(null);
  const give = useMutation({
    mutationFn: ({ order, raised }: Given) => orderThread(node, thread.threadId, order, raised),
    onSettled: () => queries.invalidateQueries({ queryKey: keys.thread(node, thread.threadId) }),
  });
  const press = (order: Order) => {
    const asksFirst = order === 'kill' || (order === 'resume' && needsMore(thread));
    if (asksFirst) setAsking(order);
    else give.mutate({ order, raised: {} });
  };
  const confirm = (given: Given) => {
    setAsking(null);
    give.mutate(given);
  };
  const orders = ordersFor(thread);
  return (
    <>
      {refused !== null && orders.length > 0 && (
        <p className="max-w-80 text-xs text-muted">{refused}</p>
      )}
      {orders.map((order) => {
        const { Icon, word, busy } = BUTTONS[order];
        const isBusy = give.isPending && give.variables.order === order;
        return (
          <Button
            key={order}
            look={order === 'kill' ? 'danger' : 'plain'}
            icon={<Icon className="size-4" aria-hidden />}
            title={ORDER_EFFECTS[order]}
            refused={refused ?? (isBusy ? busy : orderRefusal(order, thread))}
            onClick={() => press(order)}
          >
            {isBusy ? busy : word}
          </Button>
        );
      })}
      {give.isError && (
        <Notice kind="error" className="w-full">
          {failureText(give.error)}
        </Notice>
      )}
      <Dialog
        title="End this thread?"
        description={ORDER_EFFECTS.kill}
        open={asking === 'kill'}
        onOpenChange={(open) => !open && setAsking(null)}
      >
        <div className="flex justify-end gap-2 p-4">
          <Button onClick={() => setAsking(null)}>Let it go on</Button>
          <Button
            look="danger"
            icon={<OctagonX className="size-4" aria-hidden />}
            onClick={() => confirm({ order: 'kill', raised: {} })}
          >
            Kill it
          </Button>
        </div>
      </Dialog>
      <Dialog
        title="Resume with more room"
        description="It stopped at a limit. It goes on with a higher one."
        open={asking === 'resume'}
        onOpenChange={(open) => !open && setAsking(null)}
      >
        <RaiseForm thread={thread} onRaise={(raised) => confirm({ order: 'resume', raised })} />
      </Dialog>
    </>
  );
}
