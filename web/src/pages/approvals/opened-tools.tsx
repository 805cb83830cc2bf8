/** What an approval opens, tool by tool, for the choice that is made. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import type { PermissionRequest } from '../../api/types.ts';
import { Capped } from '../../components/capped.tsx';
import { Icon } from '../../components/icon.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { ChangedMark } from './changed-mark.tsx';
import { toolState } from './choice-text.ts';
import { type Choice, isWide } from './choices.ts';

/** The others are shown when somebody asks for them; nothing scrolls inside. */
const mostRows = 12;
const longName = 40;

interface OpenedToolsProps {
  request: PermissionRequest;
  /** Null while nothing would be allowed. */
  choice: Choice | null;
}

export function OpenedTools({ request, choice }: OpenedToolsProps) {
  return (
    <section aria-label="What it allows">
      {request.grant_type === 'spawn' ? (
        <p className="opened-start">
          Starting sessions of the agent{' '}
          <VisibleText text={request.child_agent?.name ?? String(request.details['child_agent_id'])} />
        </p>
      ) : (
        <ToolsOfScope request={request} choice={choice} />
      )}
    </section>
  );
}

function ToolsOfScope({ request, choice }: OpenedToolsProps) {
  const { details, tools, more_tools: more } = request;
  const scope = String(details['scope']);
  const isEverywhere = choice?.reach === 'date' || choice?.reach === 'persistent';
  return (
    <>
      <h4 className="opened-head" {...marksOf(request, choice)}>
        What{' '}
        <Capped label="Scope" isLong={scope.length > 3 * longName}>
          <span className="scope-chip">
            <Icon name="gate" size={14} />
            <VisibleText text={scope} />
          </span>
        </Capped>{' '}
        {tools.length === 0 ? 'opens: no tool in this session needs this scope' : 'opens in this session'}
        {isEverywhere ? '; in every session, any tool that needs it, on any server' : null}
      </h4>
      {tools.length === 0 ? null : <ToolList {...{ request, choice, more }} />}
    </>
  );
}

/** All that a wider choice opens has to be in sight before an approval. */
const marksOf = (request: PermissionRequest, choice: Choice | null) =>
  choice !== null && isWide(request, choice.reach) ? { 'data-decides': true } : {};

function ToolList({ request, choice, more }: OpenedToolsProps & { more: number }) {
  const [isWhole, setWhole] = useState(false);
  const tools = withRefusedFirst(request);
  const shown = isWhole ? tools : tools.slice(0, mostRows);
  const hidden = tools.length - mostRows;
  const marks = marksOf(request, choice);
  return (
    <ul className="opened">
      {shown.map(({ server, tool }) => {
        const { isOpen, text } = toolState(request, choice, { server, tool });
        return (
          <li key={`${server} ${tool}`} className={isOpen ? 'opened-on' : undefined} {...marks}>
            {isOpen ? <Icon name="checkFilled" size={14} /> : <Icon name="gate" size={14} />}
            <span className="opened-tool">
              <VisibleText text={tool} />
            </span>
            <span className="opened-server">
              {' '}
              of <VisibleText text={server} />
            </span>{' '}
            <ChangedMark request={request} tool={{ server, tool }} />
            <span className="opened-state">{text}</span>
          </li>
        );
      })}
      {hidden <= 0 ? null : (
        <li {...marks} {...(isWhole ? {} : { 'data-folded': true })}>
          <Button
            size="compact-xs"
            variant="default"
            aria-expanded={isWhole}
            onClick={() => setWhole(!isWhole)}
          >
            {isWhole ? 'Show fewer tools' : `and ${hidden} more`}
          </Button>
        </li>
      )}
      {more === 0 ? null : <li {...marks}>and {more} more, which are not listed here</li>}
    </ul>
  );
}

/** The one that was refused is always in sight. */
function withRefusedFirst({ tools, refused_call: refused }: PermissionRequest) {
  const isRefused = ({ server, tool }: { server: string; tool: string }) =>
    server === refused?.server && tool === refused.tool;
  return [...tools.filter(isRefused), ...tools.filter((tool) => !isRefused(tool))];
}
