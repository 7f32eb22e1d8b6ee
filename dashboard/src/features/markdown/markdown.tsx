import { lazy, Suspense } from 'react';
import { MARKDOWN_CHARACTERS } from '../../limits.js';
import { PlainText } from './plain-text.js';

/** Without the part of the page that knows Markdown, the text is shown as it is. */
const MarkdownView = lazy(() =>
  import('./markdown-view.js').then(
    (module) => ({ default: module.MarkdownView }),
    () => ({ default: PlainText }),
  ),
);

/** Text as Markdown; as it is while that is loaded, and when there is too much of it. */
export function Markdown({ text }: { text: string }) {
  if (text.length > MARKDOWN_CHARACTERS) return <PlainText text={text} />;
  return (
    <Suspense fallback={<PlainText text={text} />}>
      <MarkdownView text={text} />
    </Suspense>
  );
}
