import type { ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import { safeLink, shownTarget } from './safe-link.js';

/** As GitHub's, without what loads or asks for anything. */
const SCHEMA: typeof defaultSchema = {
  ...defaultSchema,
  tagNames: (defaultSchema.tagNames ?? []).filter((tag) => tag !== 'picture'),
  // Ids of the text must not meet those of the page.
  clobberPrefix: 'text-',
};

/** A text's headings are not the page's: all have one level, below those of the page, and keep their sizes. */
function TextHeading({ size, children }: { size: 1 | 2 | 3; children?: ReactNode }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: h1 to h6 would mix with the page's own order
    <div role="heading" aria-level={4} className={`heading-${size}`}>
      {children}
    </div>
  );
}

const COMPONENTS: Components = {
  h1: ({ children }) => <TextHeading size={1}>{children}</TextHeading>,
  h2: ({ children }) => <TextHeading size={2}>{children}</TextHeading>,
  h3: ({ children }) => <TextHeading size={3}>{children}</TextHeading>,
  h4: ({ children }) => <TextHeading size={3}>{children}</TextHeading>,
  h5: ({ children }) => <TextHeading size={3}>{children}</TextHeading>,
  h6: ({ children }) => <TextHeading size={3}>{children}</TextHeading>,
  a: ({ href, children }) => <TextLink href={href}>{children}</TextLink>,
  // Nothing is fetched because a model said so: an image is its description and where it is.
  img: ({ src, alt }) => (
    <span className="text-muted">
      [image{alt ? `: ${alt}` : ''}
      {typeof src === 'string' && safeLink(src) !== null && (
        <>
          , <TextLink href={src}>{src}</TextLink>
        </>
      )}
      ]
    </span>
  ),
  // A mark of a list of tasks, nothing to be ticked here.
  input: ({ checked }) => (
    <span role="img" aria-label={checked ? 'done' : 'not done'}>
      {checked ? '☑' : '☐'}
    </span>
  ),
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard too
    <section aria-label="Table" tabIndex={0} className="my-2 overflow-x-auto">
      <table>{children}</table>
    </section>
  ),
};

function TextLink({ href, children }: { href?: string | undefined; children?: ReactNode }) {
  const target = safeLink(href);
  if (target === null) return <span>{children}</span>;
  const shown = shownTarget(target, wordsOf(children));
  return (
    <>
      <a
        href={target}
        target="_blank"
        rel="noopener noreferrer nofollow"
        className="text-accent underline"
      >
        {children}
      </a>
      {shown !== null && <span className="text-muted"> ({shown})</span>}
    </>
  );
}

function wordsOf(children: ReactNode): string {
  if (typeof children === 'string') return children;
  return Array.isArray(children) ? children.map(wordsOf).join('') : '';
}

/** Text of agents and people as Markdown. HTML in it is left out; see `safeLink` for links. */
export function MarkdownView({ text }: { text: string }) {
  return (
    <div className="prose-calm text-sm">
      <ReactMarkdown
        skipHtml
        remarkPlugins={[remarkGfm]}
        rehypePlugins={[[rehypeSanitize, SCHEMA]]}
        urlTransform={(url) => safeLink(url) ?? ''}
        components={COMPONENTS}
      >
        {text}
      </ReactMarkdown>
    </div>
  );
}
