/**
 * Where people have previews open: each time at a host name of its own, which the browser that opened it is
 * told, and which is stored as a hash. Whoever knows the name reads the preview until it ends, so each
 * request asks whether the person who opened it still may.
 */
import * as z from 'zod';
import { uuid } from '../../contract/names.ts';
import {
  type PreviewAudience,
  previewAudience,
  type ServiceState,
  serviceState,
} from '../../contract/preview.ts';
import { type WorkspaceRole, workspaceRole } from '../../contract/workspace.ts';
import { type Db, inTransaction, prepared } from '../database.ts';
import { readRows } from '../read-rows.ts';
import { unfinishedStatus } from '../sessions/conditions.ts';

export interface NewOpening {
  labelSha256: Buffer;
  previewId: string;
  signInId: string;
  seconds: number;
}

/** Stores it. Of one sign-in the newest `limit` are kept; what was opened before them is closed. */
export async function insertOpening(
  db: Db,
  { labelSha256, previewId, signInId, seconds }: NewOpening,
  { limit }: { limit: number },
): Promise<void> {
  await inTransaction(db, async (trx) => {
    await trx('preview_openings').insert({
      label_sha256: labelSha256,
      preview_id: previewId,
      sign_in_id: signInId,
      expires_at: trx.raw('now() + make_interval(secs => ?)', [seconds]),
    });
    const older = trx('preview_openings')
      .where({ sign_in_id: signInId })
      .orderBy('expires_at', 'desc')
      .offset(limit)
      .select('label_sha256');
    await trx('preview_openings').whereIn('label_sha256', older).delete();
  });
}

const openedRow = z.object({
  preview_id: uuid,
  workspace_id: uuid,
  audience: previewAudience,
  user_id: uuid,
  role: workspaceRole,
  operator_id: uuid.nullable(),
  root_operator_id: uuid.nullable(),
  schedule_maker_id: uuid.nullable(),
  shared_with_workspace: z.boolean(),
  service: z.string().nullable(),
  state: serviceState.nullable(),
  address: z.string().nullable(),
  port: z.int().nullable(),
  session_is_live: z.boolean(),
});

export interface OpenedPreview {
  previewId: string;
  workspaceId: string;
  audience: PreviewAudience;
  /** Who opened it, as of now. */
  visitor: { userId: string; role: WorkspaceRole };
  session: { operator_id: string | null; root_operator_id: string | null; schedule_maker_id: string | null };
  isShared: boolean;
  /** What it shows in place of files. */
  service: OpenedService | null;
}

export interface OpenedService {
  state: ServiceState;
  /**
   * `http://<IPv4 address>:<port>` of its gateway, as the worker verified it; null unless it runs, and
   * once its session has ended.
   */
  address: string | null;
  /** On which the service listens in its sandbox. */
  port: number | null;
}

const findStatement = `
  select p.id as preview_id, p.workspace_id, p.audience, i.user_id, m.role, s.operator_id, s.root_operator_id, s.schedule_maker_id, s.shared_with_workspace,
    p.service, v.state, v.address, (v.configuration->'service'->>'port')::int as port,
    s.${unfinishedStatus} as session_is_live
  from preview_openings o
  join previews p on p.id = o.preview_id and p.ended_at is null and p.expires_at > now()
  left join preview_services v on v.preview_id = p.id
  join sign_ins i on i.id = o.sign_in_id and i.revoked_at is null and i.expires_at > now()
  join sessions s on s.id = p.session_id
  join members m on m.workspace_id = p.workspace_id and m.user_id = i.user_id
  where o.label_sha256 = $1 and o.expires_at > now()`;

/**
 * The live preview that is open at this name, with what decides whether that person may still read
 * it; null where nothing is.
 */
export async function findOpening(db: Db, labelSha256: Buffer): Promise<OpenedPreview | null> {
  const query = prepared(db, 'find-preview-opening', findStatement, [labelSha256]);
  const [found] = await readRows(query, openedRow);
  if (found === undefined) {
    return null;
  }
  const { operator_id, root_operator_id, schedule_maker_id, shared_with_workspace: isShared } = found;
  return {
    previewId: found.preview_id,
    workspaceId: found.workspace_id,
    audience: found.audience,
    visitor: { userId: found.user_id, role: found.role },
    session: { operator_id, root_operator_id, schedule_maker_id },
    isShared,
    service: serviceOf(found),
  };
}

function serviceOf({
  state,
  address,
  port,
  session_is_live,
}: z.output<typeof openedRow>): OpenedService | null {
  return state === null ? null : { state, address: session_is_live ? address : null, port };
}

const fileRow = z.object({ path: z.string(), bytes: z.instanceof(Buffer).nullable() });

const fileStatement = `
  select path, case when path = $2 then bytes end as bytes from preview_files
  where preview_id = $1 and path in ($2, $3)
  order by path = $2 desc limit 1`;

/** The bytes of the file; null bytes where there is only the other one, and null where there is neither. */
export async function readPreviewFile(
  db: Db,
  previewId: string,
  { path, otherPath }: { path: string; otherPath: string | null },
): Promise<{ path: string; bytes: Buffer | null } | null> {
  const query = prepared(db, 'read-preview-file', fileStatement, [previewId, path, otherPath]);
  const [found] = await readRows(query, fileRow);
  return found ?? null;
}

/** Removes those whose time is over. */
export async function removeExpiredOpenings(db: Db): Promise<void> {
  await db('preview_openings').whereRaw('expires_at <= now()').delete();
}
