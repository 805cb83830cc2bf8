/**
 * Previews: static files that an agent hands out, and that people open on an origin apart from the platform
 * (docs/previews.md). Files and titles are an agent's words wherever they are shown.
 */
import * as z from 'zod';
import { named, timestamp, uuid } from './names.ts';

export const previewTitleLength = 200;
/** The shortest life of a preview; the longest is a setting. */
export const minPreviewSeconds = 60;
export const defaultPreviewSeconds = 3600;

/**
 * Who may open a preview: all members of the workspace, as for what an agent shares, or those
 * who may read its session.
 */
export const previewAudience = z.enum(['workspace', 'session']);
export type PreviewAudience = z.infer<typeof previewAudience>;

/** `pending`: asked for. `starting`: its workload is being started. `stopped` and `failed` are final. */
export const serviceState = z.enum(['pending', 'starting', 'running', 'stopped', 'failed']);
export type ServiceState = z.infer<typeof serviceState>;

/** A stored preview, without its files. */
export const preview = z.strictObject({
  id: uuid,
  workspace_id: uuid,
  session_id: uuid,
  title: z.string().nullable(),
  audience: previewAudience,
  /** The agent's service that it shows in place of files; it is run for this preview alone. */
  service: z.string().nullable(),
  /** 0 for a service. */
  files: z.int().nonnegative(),
  size_bytes: z.int().nonnegative(),
  created_at: timestamp,
  expires_at: timestamp,
  /** When somebody ended it, or when it expired; its files are erased then. */
  ended_at: timestamp.nullable(),
});
export type Preview = z.infer<typeof preview>;

/** As people read it. */
export const shownPreview = preview.omit({ workspace_id: true }).extend({
  agent: named,
  /** Null for files. `reason` is a sentence of the platform about an involuntary end. */
  service_status: z.strictObject({ state: serviceState, reason: z.string().nullable() }).nullable(),
  /** Neither ended nor expired: it can be opened. */
  is_live: z.boolean(),
  /** Whether the caller may end it now. */
  may_end: z.boolean(),
  /** Whether the caller may look at its session, too. */
  may_read_session: z.boolean(),
  /** Null for those who may not. */
  session_ended: z.boolean().nullable(),
});
export type ShownPreview = z.infer<typeof shownPreview>;
