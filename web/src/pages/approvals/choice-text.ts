/**
 * What a choice would allow, in sentences. Names stay apart in them, so that they are shown as what
 * somebody else wrote. Pure.
 */
import type { PermissionRequest } from '../../api/types.ts';
import { sizeText } from '../../text/size-text.ts';
import { type Choice, endOf, isSingle, type Reach, type Whose } from './choices.ts';
import { begunName } from './request-text.ts';

/** A part of a sentence: the platform's words, or a name of others. */
export type Piece = string | { name: string; isCode?: boolean };

type Meant = Pick<
  PermissionRequest,
  'agent' | 'operator' | 'grant_type' | 'details' | 'refused_call' | 'child_agent' | 'tools' | 'more_tools'
>;

const named = (name: string): Piece => ({ name: begunName(name) });

/** Names that one decides by are never cut. */
const code = (name: string): Piece => ({ name, isCode: true });

/** Who gets it and for how long, below the label of a choice. */
export function choiceMeaning(request: Meant, choice: Choice, whose: Whose): Piece[] {
  return ['For ', ...holderOf(request, choice, whose), ...whenOf(request, choice.reach)];
}

function holderOf(request: Meant, { holder }: Choice, { operatorIsMe }: Whose): Piece[] {
  if (holder === 'agent') {
    return [named(request.agent.name)];
  }
  return operatorIsMe
    ? ['every agent that you start']
    : ['every agent that ', named(request.operator?.name ?? 'that person'), ' starts'];
}

function whenOf(request: Meant, reach: Reach): Piece[] {
  const { grant_type: type, refused_call: refused } = request;
  const every: Piece[] =
    type === 'spawn'
      ? ['any number of starts.']
      : ['any calls of ', ...everyTool(request), '; also tools that get this scope later.'];
  switch (reach) {
    case 'exact':
      return [', once: exactly the arguments of that call, in this session.'];
    case 'once':
      if (type === 'spawn') {
        return [', once: one session of that agent, started by this one.'];
      }
      return refused === null
        ? [', once: one call of ', ...oneOf(request), ', in this session.']
        : [', once: whatever it sends to ', code(`${refused.server}.${refused.tool}`), '.'];
    case 'session':
      return type === 'spawn'
        ? [', until this session ends: any number of starts.']
        : [', until this session ends: any calls of ', ...toolsOfSession(request), '.'];
    case 'date':
      return [' in every session, until the day that you choose: ', ...every];
    case 'persistent':
      return [' in every session, until somebody revokes it: ', ...every];
  }
}

const countOf = ({ tools, more_tools: more }: Meant) => tools.length + more;

/** A scope may be as long as a page; all of it stands above the list of its tools. */
const scopeCharacters = 100;

const scopeOf = ({ details }: Meant): Piece => code(begunName(String(details['scope']), scopeCharacters));

/** What a grant for this session covers. */
function toolsOfSession(request: Meant): Piece[] {
  const count = countOf(request);
  if (count === 0) {
    return ['tools that need ', scopeOf(request), ' (none in this session so far)'];
  }
  return [count === 1 ? 'this tool' : `these ${count} tools`];
}

/** What a grant covers that holds in every session: not only the tools that are listed. */
function everyTool(request: Meant): Piece[] {
  const count = countOf(request);
  return [
    'every tool that needs ',
    scopeOf(request),
    `, on any server (${count === 0 ? 'none' : count} in this session)`,
  ];
}

function oneOf(request: Meant): Piece[] {
  switch (countOf(request)) {
    case 0:
      return ['a tool that needs ', scopeOf(request), ' (none in this session so far)'];
    case 1:
      return ['this tool'];
    default:
      return ['one of ', ...toolsOfSession(request)];
  }
}

/** What the button will do, by server, tool and size; never by an argument. */
export interface Verdict {
  /** Who may, and for how long: it comes first, and no name that is long pushes it away. */
  who: Piece[];
  what: Piece[];
}

/** `isUnseen`: the arguments of the call are not shown, and "these" would be none. */
export function verdictOf(request: Meant, choice: Choice, whose: Whose, isUnseen = false): Verdict {
  const single = isSingle(choice.reach);
  const who: Piece[] = [
    'You allow ',
    ...holderOf(request, choice, whose),
    single ? `, once${argumentsOf(request, choice.reach, isUnseen)}: ` : `, ${untilText(choice)}: `,
  ];
  if (request.grant_type === 'spawn') {
    const child: Piece = { name: request.child_agent?.name ?? String(request.details['child_agent_id']) };
    return { who, what: [single ? 'to start one session of ' : 'to start sessions of ', child] };
  }
  const refused = request.refused_call;
  if (single) {
    const one = refused === null ? oneOf(request) : [code(`${refused.server}.${refused.tool}`)];
    return { who, what: ['one call of ', ...one] };
  }
  const tools = choice.reach === 'session' ? toolsOfSession(request) : everyTool(request);
  return { who, what: ['any calls of ', ...tools] };
}

function argumentsOf(
  { grant_type: type, refused_call: refused }: Meant,
  reach: Reach,
  isUnseen: boolean,
): string {
  if (type === 'spawn') {
    return '';
  }
  if (reach !== 'exact') {
    return ', with any arguments';
  }
  const size = refused?.arguments_size_bytes ?? null;
  const ofSize = size === null ? '' : ` (${sizeText(size)})`;
  return isUnseen
    ? `, with the arguments of that call${ofSize}, which you have not seen`
    : `, with exactly these arguments${ofSize}`;
}

function untilText({ reach, lastDay }: Choice): string {
  if (reach === 'session') {
    return 'until this session ends';
  }
  const end = reach === 'date' ? endOf(lastDay) : null;
  const until =
    reach !== 'date'
      ? 'until somebody revokes it'
      : end === null
        ? 'until a day'
        : `until ${dayText(end)} (${zone()})`;
  return `in every session, ${until}`;
}

const day = new Intl.DateTimeFormat('en', { dateStyle: 'long' });

/** "the end of December 31, 2026" */
const dayText = (end: string): string => `the end of ${day.format(new Date(end))}`;

/** In which a day of the reader ends. */
const zone = (): string => day.resolvedOptions().timeZone;

/** What the choice does to one of the tools that the scope covers: it is open so far, or stays closed. */
export function toolState(
  { refused_call: refused }: Pick<Meant, 'refused_call'>,
  choice: Choice | null,
  { server, tool }: { server: string; tool: string },
): { isOpen: boolean; text: string } {
  const closed = { isOpen: false, text: 'stays closed' };
  if (choice === null) {
    return closed;
  }
  if (isSingle(choice.reach)) {
    if (refused === null) {
      return { isOpen: true, text: 'one call of any of these' };
    }
    const isIt = refused.server === server && refused.tool === tool;
    return isIt ? { isOpen: true, text: choice.reach === 'exact' ? 'this one call' : 'one call' } : closed;
  }
  const end = choice.reach === 'date' ? endOf(choice.lastDay) : null;
  const until = { session: 'this session', persistent: 'until revoked' };
  return {
    isOpen: true,
    text:
      choice.reach === 'session' || choice.reach === 'persistent'
        ? until[choice.reach]
        : end === null
          ? 'until a day'
          : `until ${dayText(end)}`,
  };
}

/** As a screen reader reads it. */
export const plainText = (pieces: readonly Piece[]): string =>
  pieces.map((piece) => (typeof piece === 'string' ? piece : piece.name)).join('');
