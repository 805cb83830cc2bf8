/** A catalog entry is registered, replaced and removed by an admin. */
import { isDeepStrictEqual } from 'node:util';
import {
  emptyManifest,
  entrySettingsOf,
  type Manifest,
  type McpServer,
  type McpServerInput,
} from '../../contract/catalog.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { keepAskingEntry } from '../../store/grants/passkey-needs.ts';
import { lockRegistrationOf } from '../../store/mcp-registrations/registrations.ts';
import {
  type DecidedFields,
  deleteMcpServer,
  insertMcpServer,
  listAllAttachingAgents,
  lockMcpServerForChange,
  lockMcpServerForRemoval,
  readMcpServer,
  updateMcpServerRow,
} from '../../store/mcp-servers/mcp-servers.ts';
import { carryDefinitions, removeOldDefinitions } from '../../store/tool-definitions/record.ts';
import { followEntry, type RegistrationAddresses } from '../mcp-registrations/registrations.ts';
import { requireRoomInWorkspace } from '../quotas/quotas.ts';

/** What was read from an entry's image; the manifest is the pasted one where there is one. */
export interface EntryImage {
  digest: string;
  command: string[];
  volumes: string[];
  manifest: Manifest;
  manifestSource: 'image' | 'pasted' | 'none';
}

/** An entry as an admin saves it. */
export interface EntrySave {
  input: McpServerInput;
  image: EntryImage | null;
  userId: string;
  addresses: RegistrationAddresses;
  /** Throws for who may not end what asks for a passkey. */
  requireMayLoosen?: () => Promise<void>;
  /** Throws unless the sender knows the version that is replaced. */
  requireSeen?: (version: number) => void;
}

/**
 * Returns what an admin decides of an entry, with what its image says; no manifest without an image or a
 * pasted one. What no longer asks for a passkey was told so: a field that is left out changes nothing there.
 */
function decidedFields(
  input: McpServerInput,
  image: EntryImage | null,
  before: McpServer | null = null,
): DecidedFields {
  return {
    shape: input.shape,
    manifest: image?.manifest ?? input.manifest ?? emptyManifest,
    manifest_source: image?.manifestSource ?? (input.manifest === undefined ? 'none' : 'pasted'),
    image_digest: image?.digest ?? null,
    image_command: image?.command ?? null,
    image_volumes: image?.volumes ?? null,
    ...entrySettingsOf(input),
    require_passkey: input.require_passkey ?? before?.require_passkey ?? false,
  };
}

/** Whether a tool that asks for a passkey would not ask for one any more, or gate on another scope. */
const loosens = (before: McpServer, { require_passkey: asks, manifest }: DecidedFields): boolean =>
  before.require_passkey &&
  (!asks ||
    Object.entries(before.manifest.tool_scopes).some(
      ([tool, scope]) => manifest.tool_scopes[tool] !== scope,
    ));

export interface SavedEntry {
  server: McpServer;
  /** Of a remote server: the registration whose workflow has something to do now. */
  registrationId: string | null;
}

/** Adds an entry; null when the name is taken. Throws QuotaExceededError at the workspace's limit. */
export async function registerMcpServer(
  db: Db,
  workspaceId: string,
  { input, image, userId, quota = null, addresses }: EntrySave & { quota?: { limit: number } | null },
): Promise<SavedEntry | null> {
  return inTransaction(db, async (trx) => {
    if (quota !== null) {
      await requireRoomInWorkspace(trx, workspaceId, 'mcp_servers', quota);
    }
    const fields = decidedFields(input, image);
    const server = await insertMcpServer(trx, { workspaceId, name: input.name, fields, userId });
    if (server === null) {
      return null;
    }
    await appendAuditEvent(trx, {
      workspaceId,
      event: 'workspace.mcp.registered',
      actor: { type: 'user', id: userId },
      resource: { type: 'mcp_server', id: server.id, name: server.name },
    });
    return { server, registrationId: await followEntry(trx, server, workspaceId, addresses) };
  });
}

/**
 * Replaces what an admin decides of the entry and increments its version; null when there is none of that
 * name. Identical content changes nothing and writes no event.
 */
export async function replaceMcpServer(
  db: Db,
  workspaceId: string,
  { input, image, userId, addresses, requireMayLoosen, requireSeen }: EntrySave,
): Promise<SavedEntry | null> {
  return inTransaction(db, async (trx) => {
    const before = await lockMcpServerForChange(trx, { workspaceId, name: input.name });
    if (before === null) {
      return null;
    }
    const fields = decidedFields(input, image, before);
    const changed = (Object.keys(fields) as (keyof DecidedFields)[]).filter(
      (field) => !isDeepStrictEqual(before[field], fields[field]),
    );
    if (changed.length === 0) {
      return { server: before, registrationId: null };
    }
    requireSeen?.(before.version);
    if (loosens(before, fields)) {
      await requireMayLoosen?.();
    }
    const version = before.version + 1;
    const server = await updateMcpServerRow(trx, before.id, { version, fields, userId });
    const earlier = { workspaceId, entryId: before.id, version: before.version };
    if (!changed.includes('shape') && !changed.includes('image_digest')) {
      await carryDefinitions(trx, earlier);
    }
    await removeOldDefinitions(trx, { ...earlier, version });
    await appendAuditEvent(trx, {
      workspaceId,
      event: 'workspace.mcp.updated',
      actor: { type: 'user', id: userId },
      resource: { type: 'mcp_server', id: before.id, name: before.name },
      data: {
        changed,
        version,
        ...(changed.includes('image_digest')
          ? { image_digest: { old: before.image_digest, new: fields.image_digest } }
          : {}),
        ...(changed.includes('require_passkey')
          ? { require_passkey: { old: before.require_passkey, new: fields.require_passkey } }
          : {}),
      },
    });
    return { server, registrationId: await followEntry(trx, server, workspaceId, addresses) };
  });
}

/** `in_use` comes with the agents that attach the entry. */
type Removal =
  /** With the registration of a remote server, whose workflow deletes what it registered. */
  | { result: 'removed'; registrationId: string | null }
  | { result: 'not_found' }
  | { result: 'in_use'; uses: { type: string; id: string; name: string }[] };

/** Removes an entry that no agent attaches. The row lock prevents concurrent attachments. */
export async function removeMcpServer(
  db: Db,
  workspaceId: string,
  name: string,
  userId: string,
  { requireMayLoosen }: Pick<EntrySave, 'requireMayLoosen'> = {},
): Promise<Removal> {
  return inTransaction(db, async (trx) => {
    const serverId = await lockMcpServerForRemoval(trx, { workspaceId, name });
    if (serverId === null) {
      return { result: 'not_found' };
    }
    const isAsking = (await readMcpServer(trx, workspaceId, name))?.require_passkey !== false;
    if (isAsking) {
      await requireMayLoosen?.();
    }
    const agents = await listAllAttachingAgents(trx, serverId);
    if (agents.length > 0) {
      return { result: 'in_use', uses: agents.map((agent) => ({ type: 'agent', ...agent })) };
    }
    const registration = await lockRegistrationOf(trx, serverId);
    await deleteMcpServer(trx, serverId);
    if (isAsking) {
      await keepAskingEntry(trx, { workspaceId, entryId: serverId });
    }
    await appendAuditEvent(trx, {
      workspaceId,
      event: 'workspace.mcp.removed',
      actor: { type: 'user', id: userId },
      resource: { type: 'mcp_server', id: serverId, name },
      data: isAsking ? { require_passkey: { old: true, new: false } } : {},
    });
    return { result: 'removed', registrationId: registration?.id ?? null };
  });
}
