/** The arguments of a call, whole: by name, or as the JSON that was recorded. */
import { Fragment, useState } from 'react';
import { productName } from '../../../../../contract/product-name.ts';
import { Icon } from '../../../components/icon.tsx';
import { CallArguments } from './call-arguments.tsx';
import type { CallCharacter } from './call-characters.ts';
import type { CallLine } from './call-lines.ts';
import { CallText, CallTokenText } from './call-piece.tsx';
import { FoldedLines } from './folded-lines.tsx';
import { type NamedArgument, namedArguments } from './named-arguments.ts';

interface ShownCallProps {
  lines: readonly CallLine[];
  digest: string;
  /** Each argument, the end of the call, and all that is folded, has to be seen before an approval. */
  decides: boolean;
}

export function ShownArguments({ lines, digest, decides }: ShownCallProps) {
  const named = namedArguments(lines);
  const [isJson, setJson] = useState(false);
  return (
    <>
      {named === null ? null : (
        <fieldset className="call-views" aria-label="How the arguments are shown">
          {([false, true] as const).map((json) => (
            <button
              key={String(json)}
              type="button"
              aria-pressed={isJson === json}
              onClick={() => setJson(json)}
            >
              {json ? 'JSON' : 'Arguments'}
            </button>
          ))}
        </fieldset>
      )}
      {named === null || isJson ? (
        <CallArguments lines={lines} decides={decides} />
      ) : (
        <ArgumentsByName named={named} decides={decides} />
      )}
      <p className="call-end" {...(decides ? { 'data-decides': true } : {})}>
        <Icon name="checkFilled" size={14} />
        <span>End of the call</span>
        <span className="call-recorded">Recorded by {productName}</span>
        <span className="call-digest" title="Digest of the call">
          {digest.slice(0, 8)}
        </span>
      </p>
    </>
  );
}

function ArgumentsByName({ named, decides }: { named: readonly NamedArgument[]; decides: boolean }) {
  const marks = decides ? { 'data-decides': true } : {};
  return named.length === 0 ? (
    <p className="call-none">No arguments.</p>
  ) : (
    <dl className="call-named" aria-label="Arguments">
      {named.map(({ key, value }) => (
        <Fragment key={key}>
          <dt {...marks}>
            <CallTokenText text={plainKey(key)} decides={decides} />
          </dt>
          <dd {...marks}>
            <Value value={value} decides={decides} />
          </dd>
        </Fragment>
      ))}
    </dl>
  );
}

/** Without its quotes, unless it could be taken for something else without them. */
const plainKey = (key: string) => (/^"[\p{L}\p{N}_.$-]+"$/u.test(key) ? key.slice(1, -1) : key);

function Value({ value, decides }: { value: NamedArgument['value']; decides: boolean }) {
  if (value.kind === 'word') {
    return (
      <span className={`call-${value.token.kind}`}>
        <CallTokenText text={value.token.text} decides={decides} />
      </span>
    );
  }
  if (value.kind === 'json') {
    return <CallArguments lines={value.lines} decides={decides} />;
  }
  const [only] = value.lines;
  return value.lines.length === 1 && only !== undefined ? (
    <CallText characters={only} decides={decides} />
  ) : (
    <TextLines lines={value.lines} decides={decides} />
  );
}

/** A text with its line breaks; what wraps has no number of its own. */
function TextLines({ lines, decides }: { lines: readonly CallCharacter[][]; decides: boolean }) {
  return (
    <>
      <span className="call-kind">text, {lines.length.toLocaleString('en')} lines</span>
      <ol className="call-lines call-content" data-digits={String(lines.length).length}>
        <FoldedLines lines={lines} decides={decides}>
          {(characters, index) => (
            <li key={index} value={index + 1}>
              <CallText characters={characters} decides={decides} />
            </li>
          )}
        </FoldedLines>
      </ol>
    </>
  );
}
