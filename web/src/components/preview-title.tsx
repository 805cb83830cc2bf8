import { VisibleText } from './visible-text.tsx';

/** What the agent calls its preview. */
export function PreviewTitle({ title }: { title: string | null }) {
  return title === null ? 'Untitled preview' : <VisibleText text={title} />;
}
