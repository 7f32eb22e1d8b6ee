/** Text as it is, with its line breaks. */
export function PlainText({ text }: { text: string }) {
  return <pre className="text-xs leading-5 wrap-anywhere whitespace-pre-wrap">{text}</pre>;
}
