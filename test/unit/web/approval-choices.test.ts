/** What a person may answer a request with, and how each answer is said. */
import { describe, expect, it } from '@jest/globals';
import {
  choiceMeaning,
  plainText,
  toolState,
  verdictOf,
} from '../../../web/src/pages/approvals/choice-text.ts';
import {
  approvedReach,
  approveLabel,
  type Choice,
  dayAfter,
  dayOf,
  grantBody,
  isAsRequested,
  isComplete,
  isWide,
  offeredChoices,
  preselectedChoice,
  reachLabel,
} from '../../../web/src/pages/approvals/choices.ts';
import { subjectOf } from '../../../web/src/pages/approvals/request-text.ts';
import { digest, mine, onceForAgent, refused_call, request } from './approval-request.ts';

/** A refused call of which only server and tool are known. */
const toolOnly = { ...refused_call, digest: null, arguments_size_bytes: null };

describe('what a request may be answered with', () => {
  const may_grant = { agent: ['once' as const, 'session' as const], operator: ['persistent' as const] };
  const offer = { may_grant, refused_call: null };
  const reachesOf = (asked: Parameters<typeof offeredChoices>[0]) =>
    offeredChoices(asked).map(({ reach, holder }) => `${reach} ${holder}`);

  it('is what the API offers, narrowest first, for the agent where that is on offer', () => {
    expect(reachesOf(offer)).toEqual(['once agent', 'session agent', 'date operator', 'persistent operator']);
    const all = ['once' as const, 'session' as const, 'persistent' as const];
    expect(reachesOf({ refused_call: null, may_grant: { agent: all, operator: all } })).toEqual([
      'once agent',
      'session agent',
      'date agent',
      'persistent agent',
    ]);
  });

  it('is exactly the refused call, too, where it has a digest and one call may be granted', () => {
    expect(reachesOf({ may_grant, refused_call })[0]).toBe('exact agent');
    expect(reachesOf({ may_grant, refused_call: toolOnly })[0]).toBe('once agent');
    expect(reachesOf({ refused_call, may_grant: { agent: ['session'], operator: [] } })).toEqual([
      'session agent',
    ]);
  });

  it('starts as the narrowest on offer, for the agent alone, whatever was requested', () => {
    expect(preselectedChoice(offer)).toEqual({ reach: 'once', holder: 'agent' });
    expect(preselectedChoice({ may_grant, refused_call })).toEqual({ reach: 'exact', holder: 'agent' });
    expect(
      preselectedChoice({ refused_call, may_grant: { agent: ['persistent'], operator: ['session'] } }),
    ).toEqual({ reach: 'session', holder: 'operator' });
    expect(preselectedChoice({ refused_call, may_grant: { agent: [], operator: [] } })).toBeNull();
  });

  it.each([
    ['exact', 'agent', true, 'This call only', 'Approve this call only'],
    ['once', 'agent', true, 'One call, any arguments', 'Approve one call, any arguments'],
    ['session', 'agent', true, 'This session', 'Approve for this session'],
    ['date', 'agent', true, 'Until a date', 'Approve until a date'],
    ['persistent', 'agent', true, 'Until revoked', 'Approve until revoked'],
    ['persistent', 'operator', true, 'Until revoked, for you', 'Approve until revoked, for you'],
    [
      'persistent',
      'operator',
      false,
      'Until revoked, for the person who started the session',
      'Approve until revoked, for the person who started the session',
    ],
  ] as const)('as %s for the %s (me: %s) is %s', (reach, holder, operatorIsMe, label, button) => {
    const refused = { ...request, refused_call };
    expect(reachLabel(refused, { reach, holder }, { operatorIsMe })).toBe(label);
    expect(approveLabel(refused, { reach, holder }, { operatorIsMe })).toBe(button);
  });

  it('is one call of any tool where none was refused, and one start of an agent', () => {
    expect(reachLabel(request, onceForAgent, mine)).toBe('One call');
    expect(approveLabel(request, onceForAgent, mine)).toBe('Approve one call');
    expect(approveLabel({ grant_type: 'spawn', refused_call: null }, onceForAgent, mine)).toBe(
      'Approve one start',
    );
    expect(reachLabel({ ...request, refused_call: toolOnly }, onceForAgent, mine)).toBe(
      'One call, any arguments',
    );
  });

  it('is wide unless it is one call of a known tool, or one start', () => {
    expect(isWide({ ...request, refused_call }, 'once')).toBe(false);
    expect(isWide({ ...request, refused_call }, 'exact')).toBe(false);
    expect(isWide({ ...request, refused_call }, 'session')).toBe(true);
    expect(isWide(request, 'once')).toBe(true);
    expect(isWide({ grant_type: 'spawn', refused_call: null }, 'once')).toBe(false);
  });

  it('is marked as requested, unless "once" may mean exactly that call', () => {
    expect(isAsRequested({ ...offer, scope: 'once' }, 'once')).toBe(true);
    expect(isAsRequested({ ...offer, scope: 'once' }, 'session')).toBe(false);
    expect(isAsRequested({ ...offer, scope: 'persistent' }, 'date')).toBe(false);
    for (const reach of ['exact', 'once'] as const) {
      expect(isAsRequested({ may_grant, refused_call, scope: 'once' }, reach)).toBe(false);
    }
    expect(isAsRequested({ may_grant, refused_call, scope: 'session' }, 'session')).toBe(true);
  });

  it('ends with the last day that is chosen, and is nothing without one', () => {
    const noon = new Date(2026, 11, 30, 12).getTime();
    const until = (lastDay: string): Choice => ({ reach: 'date', holder: 'agent', lastDay });
    expect(dayAfter(noon)).toBe('2026-12-31');
    expect(dayOf(noon)).toBe('2026-12-30');
    expect(isComplete(until('2026-12-31'), noon)).toBe(true);
    expect(isComplete(until('2026-12-30'), noon)).toBe(true);
    for (const lastDay of ['2026-12-29', '', '2026-02-31x']) {
      expect(isComplete(until(lastDay), noon)).toBe(false);
    }
    expect(isComplete({ reach: 'persistent', holder: 'agent' }, noon)).toBe(true);
    expect(grantBody(request, until('2026-12-31'))).toMatchObject({
      scope: 'persistent',
      expires_at: new Date(2026, 11, 31, 23, 59, 59).toISOString(),
    });
    expect(() => grantBody(request, until(''))).toThrow('no last day');
    expect(grantBody(request, { reach: 'persistent', holder: 'agent' })).not.toHaveProperty('expires_at');
  });

  it('is sent as exactly that grant', () => {
    const same = { grant_type: 'tool_scope', details: { scope: 'files.write' }, request_id: 'r' };
    expect(grantBody(request, onceForAgent)).toEqual({ ...same, agent_subject_id: 'a', scope: 'once' });
    expect(grantBody(request, { reach: 'session', holder: 'operator' })).toEqual({
      ...same,
      user_subject_id: 'o',
      scope: 'session',
      session_id: 's',
    });
    expect(grantBody(request, { reach: 'persistent', holder: 'operator' })).not.toHaveProperty('session_id');
  });

  it('names the call that was shown, however far it goes, and is bound to it only when exactly that was chosen', () => {
    const shown = { ...request, refused_call };
    for (const reach of ['once', 'session', 'persistent'] as const) {
      const body = grantBody(shown, { reach, holder: 'agent' });
      expect(body).toMatchObject({ scope: reach, call_digest: digest });
      expect(body).not.toHaveProperty('exact_call');
    }
    expect(grantBody(shown, { reach: 'exact', holder: 'agent' })).toMatchObject({
      scope: 'once',
      call_digest: digest,
      exact_call: true,
    });
    expect(grantBody({ ...request, refused_call: toolOnly }, onceForAgent)).not.toHaveProperty('call_digest');
  });

  it('never becomes wider by itself: exactly a call that is not known is sent, and refused', () => {
    expect(grantBody(request, { reach: 'exact', holder: 'agent' })).toMatchObject({ exact_call: true });
  });

  const meant = {
    ...request,
    agent: { id: 'a', name: 'scribe' },
    child_agent: null,
    tools: [
      { server: 'files', tool: 'write_file' },
      { server: 'files', tool: 'edit_file' },
    ],
    more_tools: 0,
  };
  const reaches = ['exact', 'once', 'session', 'date', 'persistent'] as const;

  it('says who gets it and for how long, differently for each answer', () => {
    const meanings = (['tool_scope', 'spawn'] as const).flatMap((grant_type) =>
      reaches
        .filter((reach) => reach !== 'exact')
        .map((reach) => plainText(choiceMeaning({ ...meant, grant_type }, { reach, holder: 'agent' }, mine))),
    );
    expect(new Set(meanings).size).toBe(meanings.length);
    expect(meanings.every((meaning) => meaning.startsWith('For scribe'))).toBe(true);
    const shown = { ...meant, refused_call };
    const say = (choice: Choice, whose = mine) => plainText(choiceMeaning(shown, choice, whose));
    expect(say({ reach: 'exact', holder: 'agent' })).toBe(
      'For scribe, once: exactly the arguments of that call, in this session.',
    );
    expect(say(onceForAgent)).toBe('For scribe, once: whatever it sends to files.write_file.');
    const persistent: Choice = { reach: 'persistent', holder: 'operator' };
    expect(say(persistent)).toMatch(/^For every agent that you start in every session, until/);
    expect(say(persistent, { operatorIsMe: false })).toMatch(/^For every agent that Max starts/);
    for (const reach of ['date', 'persistent'] as const) {
      expect(say({ reach, holder: 'agent' })).toContain(
        ': any calls of every tool that needs files.write, on any server (2 in this session)',
      );
    }
  });

  it('names server, tool and size in the sentence at the button, and no argument', () => {
    const say = (choice: Choice, asked: Parameters<typeof verdictOf>[0] = { ...meant, refused_call }) => {
      const { who, what } = verdictOf(asked, choice, mine);
      return `${plainText(who)}${plainText(what)}.`;
    };
    expect(say({ reach: 'exact', holder: 'agent' })).toBe(
      'You allow scribe, once, with exactly these arguments (31 B): one call of files.write_file.',
    );
    expect(say(onceForAgent)).toBe(
      'You allow scribe, once, with any arguments: one call of files.write_file.',
    );
    expect(say({ reach: 'session', holder: 'agent' })).toBe(
      'You allow scribe, until this session ends: any calls of these 2 tools.',
    );
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    expect(say({ reach: 'date', holder: 'agent', lastDay: '2026-12-31' })).toBe(
      `You allow scribe, in every session, until the end of December 31, 2026 (${zone}): any calls of every tool that needs files.write, on any server (2 in this session).`,
    );
    expect(say({ reach: 'persistent', holder: 'operator' })).toBe(
      'You allow every agent that you start, in every session, until somebody revokes it: any calls of every tool that needs files.write, on any server (2 in this session).',
    );
    const unseen = verdictOf({ ...meant, refused_call }, { reach: 'exact', holder: 'agent' }, mine, true);
    expect(plainText(unseen.who)).toBe(
      'You allow scribe, once, with the arguments of that call (31 B), which you have not seen: ',
    );
    // The reach stands before the name of an agent, which is whole.
    const child_agent = { id: 'c', name: 'x'.repeat(100) };
    const start = { ...meant, grant_type: 'spawn' as const, child_agent };
    expect(say(onceForAgent, start)).toBe(
      `You allow scribe, once: to start one session of ${child_agent.name}.`,
    );
    expect(say({ reach: 'session', holder: 'agent' }, start)).toBe(
      `You allow scribe, until this session ends: to start sessions of ${child_agent.name}.`,
    );
    const none: Parameters<typeof verdictOf>[0] = { ...meant, tools: [], refused_call };
    expect(say({ reach: 'persistent', holder: 'agent' }, none)).toContain('(none in this session)');
    expect(say({ reach: 'session', holder: 'agent' }, none)).toContain(
      'any calls of tools that need files.write (none in this session so far)',
    );
    expect(say(onceForAgent, { ...none, refused_call: null })).toBe(
      'You allow scribe, once, with any arguments: one call of a tool that needs files.write (none in this session so far).',
    );
    const longScope = { ...none, details: { scope: 'w'.repeat(2000) } };
    expect(say({ reach: 'persistent', holder: 'agent' }, longScope).length).toBeLessThan(400);
  });

  it('says of each tool whether the choice opens it', () => {
    const states = (choice: Choice | null, refused: typeof refused_call | null = refused_call) =>
      meant.tools.map((tool) => toolState({ refused_call: refused }, choice, tool).text);
    expect(states({ reach: 'exact', holder: 'agent' })).toEqual(['this one call', 'stays closed']);
    expect(states(onceForAgent)).toEqual(['one call', 'stays closed']);
    expect(states(onceForAgent, null)).toEqual(['one call of any of these', 'one call of any of these']);
    expect(states({ reach: 'session', holder: 'agent' })).toEqual(['this session', 'this session']);
    expect(states({ reach: 'persistent', holder: 'agent' })).toEqual(['until revoked', 'until revoked']);
    expect(states(null)).toEqual(['stays closed', 'stays closed']);
  });

  it('says how far an approval went', () => {
    const agent = { type: 'agent' as const, id: 'a', name: 'scribe' };
    const person = { type: 'user' as const, id: 'u', name: 'Ada' };
    const endless = { expires_at: null };
    expect(approvedReach({ ...endless, scope: 'once', subject: agent })).toBe('once');
    expect(approvedReach({ ...endless, scope: 'session', subject: agent })).toBe('for this session');
    expect(approvedReach({ ...endless, scope: 'persistent', subject: agent })).toBe(
      'until it is revoked, for every session of the agent',
    );
    expect(approvedReach({ ...endless, scope: 'persistent', subject: person })).toContain(
      'all sessions of the person',
    );
    const expires_at = new Date(2026, 11, 31, 23, 59, 59).toISOString();
    expect(approvedReach({ scope: 'persistent', subject: agent, expires_at })).toMatch(
      /^until Dec 31, 2026, .*, for every session of the agent$/,
    );
  });

  it('names what is requested', () => {
    const child_agent = { id: 'c', name: 'helper' };
    expect(subjectOf({ ...request, child_agent: null })).toEqual({
      what: 'to use tools that need',
      name: 'files.write',
    });
    expect(subjectOf({ ...request, child_agent: null, refused_call })).toEqual({
      what: 'to call',
      name: 'files.write_file',
    });
    const spawn = { grant_type: 'spawn' as const, details: { child_agent_id: 'c' }, refused_call: null };
    expect(subjectOf({ ...spawn, child_agent }).name).toBe('helper');
    expect(subjectOf({ ...spawn, child_agent: null }).name).toBe('c');
  });
});
