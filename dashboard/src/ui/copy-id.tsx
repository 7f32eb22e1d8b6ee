import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { COPIED_MS } from '../limits.js';
import { classNames } from './class-names.js';
import { shortId } from './format.js';

/** An id, short, with a button that copies all of it. */
export function CopyId({ id, what, className }: { id: string; what: string; className?: string }) {
  const [copied, setCopied] = useState<'no' | 'yes' | 'refused'>('no');
  useEffect(() => {
    if (copied === 'no') return;
    const timer = setTimeout(() => setCopied('no'), COPIED_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = () => {
    // Without a secure address there is no clipboard; the title has the whole id.
    if (navigator.clipboard === undefined) return setCopied('refused');
    navigator.clipboard.writeText(id).then(
      () => setCopied('yes'),
      () => setCopied('refused'),
    );
  };
  return (
    <button
      type="button"
      onClick={copy}
      title={`${what} ${id}: copy`}
      aria-label={`Copy ${what} ${id}`}
      className={classNames(
        'group inline-flex items-center gap-1 rounded font-mono text-xs text-muted hover:text-text',
        className,
      )}
    >
      {copied === 'refused' ? id : shortId(id)}
      {copied === 'yes' ? (
        <Check className="size-3 text-good" aria-hidden />
      ) : (
        <Copy className="size-3 opacity-60 group-hover:opacity-100" aria-hidden />
      )}
      <span role="status" className="sr-only">
        {copied === 'yes' ? 'Copied' : ''}
      </span>
    </button>
  );
}
