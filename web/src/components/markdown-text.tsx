/**
 * An agent's Markdown: what it marked is built as elements, one by one, and every stretch of it is shown as
 * `VisibleText`. Headings are no headings of the page, and a link leads nowhere until somebody asks it to.
 */
import { Fragment, type ReactNode, useMemo, useState } from 'react';
import { type Block, type Inline, isDrawable, type ListItem, readMarkdown } from '../text/markdown.ts';
import { VisibleText } from './visible-text.tsx';

export function MarkdownText({ text }: { text: string }) {
  const blocks = useMemo(() => readMarkdown(text), [text]);
  return !isDrawable(blocks) ? (
    <VisibleText text={text} />
  ) : (
    <div className="markdown">
      {keyed(blocks, (block) => (
        <BlockView block={block} />
      ))}
    </div>
  );
}

const keyed = <Part,>(parts: readonly Part[], view: (part: Part) => ReactNode) =>
  parts.map((part, index) => {
    const key = `${index}`;
    return <Fragment key={key}>{view(part)}</Fragment>;
  });

function BlockView({ block }: { block: Block }) {
  switch (block.kind) {
    case 'paragraph':
      return (
        <p>
          <Content parts={block.content} />
        </p>
      );
    case 'quote':
      return (
        <blockquote>
          <Content parts={block.content} />
        </blockquote>
      );
    case 'heading':
      return (
        <p className="markdown-heading">
          <Content parts={block.content} />
        </p>
      );
    case 'list':
      return (
        <ul>
          {keyed(block.items, (item) => (
            <Item item={item} />
          ))}
        </ul>
      );
    case 'code':
      return (
        <pre>
          <VisibleText text={block.text} />
        </pre>
      );
    case 'rule':
      return <hr />;
  }
}

function Item({ item: { depth, number, content } }: { item: ListItem }) {
  return (
    <li className={`markdown-depth-${depth}`}>
      <span className="markdown-mark">{number ?? '•'}</span>
      <span>
        <Content parts={content} />
      </span>
    </li>
  );
}

const Content = ({ parts }: { parts: readonly Inline[] }) =>
  keyed(parts, (part) => <InlineView part={part} />);

function InlineView({ part }: { part: Inline }) {
  const text = <VisibleText text={part.text} />;
  switch (part.kind) {
    case 'text':
      return text;
    case 'code':
      return <code>{text}</code>;
    case 'strong':
      return <strong>{text}</strong>;
    case 'emphasis':
      return <em>{text}</em>;
    case 'link':
      return <QuietLink text={part.text} address={part.address} />;
  }
}

/** Says where it would lead before it does. */
function QuietLink({ text, address }: { text: string; address: string }) {
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <button type="button" className="quiet-link" aria-expanded={isAsked} onClick={() => setAsked(!isAsked)}>
        <VisibleText text={text} />
      </button>
      {isAsked ? (
        <span className="quiet-address">
          <a href={address} target="_blank" rel="noopener noreferrer nofollow" referrerPolicy="no-referrer">
            Open {new URL(address).host}: <VisibleText text={address} />
          </a>
        </span>
      ) : null}
    </>
  );
}
