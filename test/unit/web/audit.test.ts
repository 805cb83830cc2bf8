import { describe, expect, it } from '@jest/globals';
import { auditEventName } from '../../../contract/audit-event.ts';
import type { AuditEvent } from '../../../web/src/api/types.ts';
import { exportName, onlyWith, readFilter, withPart } from '../../../web/src/pages/audit/audit-filter.ts';
import { aboutOf, eventLabels, linksOf, outcomeOf } from '../../../web/src/pages/audit/audit-text.ts';

const grantId = '0b8f1f0e-4c1d-4a55-8a8f-1d1f3a1f0001';
const sessionId = '0b8f1f0e-4c1d-4a55-8a8f-1d1f3a1f0002';
const requestId = '0b8f1f0e-4c1d-4a55-8a8f-1d1f3a1f0003';

const event = (changes: Partial<AuditEvent>): AuditEvent => ({
  id: '0b8f1f0e-4c1d-4a55-8a8f-1d1f3a1f0000',
  event: 'session.mcp.tool_called',
  at: '2026-11-21T19:15:47.968Z',
  actor: { type: 'agent', id: null, name: null },
  workspace_id: '0b8f1f0e-4c1d-4a55-8a8f-1d1f3a1f0009',
  resource: { type: 'mcp_server', id: 'files', name: 'files' },
  session_id: sessionId,
  data: { name: 'files', tool: 'write_file', outcome: 'ok', granted_via: grantId },
  ...changes,
});

const linksOfTools = (resource: AuditEvent['resource']) =>
  linksOf('demo', event({ event: 'workspace.mcp.tools_accepted', resource, session_id: null, data: {} }));

describe('audit events as text', () => {
  it('has a label for every event, and for no other', () => {
    expect(Object.keys(eventLabels).sort()).toEqual(auditEventName.options.toSorted());
  });

  it('says what a call, an attachment and a member event were about', () => {
    expect(aboutOf(event({}))).toBe('files.write_file');
    const agent = { type: 'agent', id: 'x', name: 'scribe' };
    expect(aboutOf(event({ event: 'agent.mcp.attached', resource: agent, data: { name: 'files' } }))).toBe(
      'files of scribe',
    );
    const max = { type: 'user', id: 'x', name: 'max@demo.test' };
    expect(aboutOf(event({ event: 'workspace.member.added', resource: max, data: { role: 'member' } }))).toBe(
      'max@demo.test: member',
    );
  });

  it('says which one call a grant permits, when it was made and when it was used up', () => {
    const grant = { type: 'grant', id: grantId, name: 'tool_scope files.write' };
    const call_digest = `3f2a9c01${'0'.repeat(56)}`;
    const about = (name: AuditEvent['event'], data: AuditEvent['data']) =>
      aboutOf(event({ event: name, resource: grant, data }));
    const oneCall = 'tool_scope files.write: this call only (3f2a9c01)';
    const bound_to = { session_id: sessionId, server: 'files', tool: 'write_file' };
    expect(about('grant.created', { bound_to: { ...bound_to, call_digest } })).toBe(oneCall);
    expect(about('grant.revoked', { bound_to: { ...bound_to, call_digest } })).toBe(oneCall);
    expect(about('grant.consumed', { server: 'files', tool: 'write_file', call_digest })).toBe(oneCall);
    for (const data of [{ bound_to: null }, { bound_to: { ...bound_to, call_digest: null } }, {}]) {
      expect(about('grant.created', data)).toBe('tool_scope files.write');
    }
    expect(about('grant.consumed', { call_digest: null })).toBe('tool_scope files.write');
  });

  it('says what happened to the tools of a server, and leads to them', () => {
    const files = { type: 'mcp_server', id: 'x', name: 'files' };
    const about = (name: AuditEvent['event'], data: AuditEvent['data']) =>
      aboutOf(event({ event: name, resource: files, data }));
    const pinned = { version: 1, source: 'check', tools: 1, has_instructions: true };
    expect(about('workspace.mcp.tools_pinned', pinned)).toBe('files: 1 tool and its instructions by a check');
    expect(
      about('workspace.mcp.tools_pinned', {
        ...pinned,
        source: 'session',
        tools: 4,
        has_instructions: false,
      }),
    ).toBe('files: 4 tools by the first session');
    const changed = {
      new_tools: ['a'],
      changed_tools: ['b', 'c'],
      more_tools: 7,
      instructions_changed: true,
    };
    expect(about('workspace.mcp.tools_changed', changed)).toBe(
      'files: new a; changed b, c; 7 more; its instructions',
    );
    expect(
      about('workspace.mcp.tools_accepted', { tools: ['a', 'b'], more_tools: 2, instructions: true }),
    ).toBe('files: a, b, 2 more, its instructions');
    expect(about('workspace.mcp.tools_accepted', {})).toBe('files: ');
    expect(linksOfTools(files)).toEqual([{ label: 'Tools', to: '/demo/catalog/files/tools' }]);
  });

  it('says the outcome of the registration of a remote server', () => {
    const notes = { type: 'mcp_server', id: 'x', name: 'notes' };
    const about = (name: AuditEvent['event'], data: AuditEvent['data']) =>
      aboutOf(event({ event: name, resource: notes, data }));
    const parties = { issuer: 'https://auth.example', resource: 'https://mcp.example' };
    const text = 'https://auth.example for https://mcp.example';
    const completed = 'workspace.mcp.registration_completed';
    expect(about(completed, { sign_in: 'oauth', ...parties })).toBe(`notes: ${text}`);
    expect(about(completed, { sign_in: 'none' })).toBe('notes: it asks for no sign-in');
    expect(about(completed, { sign_in: 'headers' })).toBe('notes: with a static key');
    expect(about('workspace.mcp.registration_failed', { reason: 'It hangs.', found: parties })).toBe(
      'notes: It hangs.',
    );
    expect(about('workspace.mcp.registration_retried', {})).toBe('notes');
    const accepted = { accepted: { ...parties, issuer: 'https://new.example' }, before: parties };
    expect(about('workspace.mcp.issuer_accepted', accepted)).toBe(
      `notes: https://new.example for https://mcp.example, before ${text}`,
    );
    expect(about('workspace.mcp.issuer_accepted', { accepted: parties, before: null })).toBe(
      `notes: ${text}`,
    );
    const client = { issuer: 'https://auth.example', client_id: 'c' };
    const deleted = 'workspace.mcp.client_deleted';
    expect(about(deleted, { ...client, at_server: true })).toBe('notes: c at https://auth.example');
    expect(about(deleted, { ...client, at_server: false })).toMatch(/did not delete it$/);
  });

  it('names outcomes of calls and sessions only', () => {
    expect(outcomeOf(event({}))).toEqual({ word: 'ok', tone: 'ok' });
    expect(outcomeOf(event({ data: { outcome: 'permission_required' } }))).toEqual({
      word: 'permission required',
      tone: 'refused',
    });
    expect(outcomeOf(event({ event: 'session.ended', data: { status: 'terminated' } }))).toEqual({
      word: 'terminated',
      tone: 'idle',
    });
    expect(outcomeOf(event({ event: 'grant.created', data: { outcome: 'ok' } }))).toBeNull();
  });

  it('leads from a gated call to its grant, and from a grant to its request', () => {
    expect(linksOf('demo', event({}))).toEqual([
      { label: 'Grant', to: `/demo/grants/${grantId}` },
      { label: 'Session', to: `/demo/sessions/${sessionId}` },
    ]);
    const made = event({
      event: 'grant.created',
      resource: { type: 'grant', id: grantId, name: 'tool_scope files.write' },
      session_id: null,
      data: { request_id: requestId },
    });
    expect(linksOf('demo', made)).toEqual([
      { label: 'Grant', to: `/demo/grants/${grantId}` },
      { label: 'Request', to: `/demo/approvals/${requestId}` },
    ]);
  });

  it('has no links for what was deleted', () => {
    const removed = event({
      event: 'agent.removed',
      resource: { type: 'agent', id: 'x', name: 'scribe' },
      session_id: null,
      data: {},
    });
    expect(linksOf('demo', removed)).toEqual([]);
  });
});

describe('the filter of the audit page', () => {
  it('is read from the address and written back', () => {
    const filter = { event: 'grant.revoked', resource: 'files', from: '2026-11-21T10:00:00.000Z' } as const;
    const address = new URL(`http://x${onlyWith('demo', filter)}`);
    expect(address.pathname).toBe('/demo/audit');
    expect(readFilter(address.searchParams)).toEqual(filter);
  });

  it('ignores unknown events and invalid times', () => {
    expect(readFilter(new URLSearchParams('event=constructor&from=yesterday&actor=%20&x=1'))).toEqual({});
  });

  it('changes one part and keeps the others', () => {
    const search = new URLSearchParams('event=grant.revoked&actor=a');
    expect(withPart(search, 'actor', null).toString()).toBe('event=grant.revoked');
    expect(withPart(search, 'resource', 'files').toString()).toBe(
      'event=grant.revoked&actor=a&resource=files',
    );
  });

  it('names the exported file so that every system takes it', () => {
    expect(exportName('demo', new Date('2026-11-21T19:15:47.968Z'))).toBe(
      'audit-demo-2026-11-21T19-15-47Z.ndjson',
    );
  });
});
