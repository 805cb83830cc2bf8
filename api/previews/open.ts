import type { Context } from 'koa';
import { previewDomainOf } from '../../config/preview-domain.ts';
import type { Preview } from '../../contract/preview.ts';
import { insertOpening } from '../../store/previews/openings.ts';
import { platformOrigin } from '../addresses.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { ApiError } from '../errors.ts';
import { createLabel, labelSha256, previewUrl } from './origin.ts';

/** The address works for so long, and no longer than the preview lives and the person may read it. */
const openSeconds = 30 * 60;
/** Of one sign-in at the same time; the oldest is closed. */
const maxOpen = 50;

/**
 * Opens a live preview for a person who may read it: returns its address, at a new host name that the answer
 * alone has. Throws 503 where the platform has no domain for previews any more.
 */
export async function openPreview(
  { db, config }: Pick<ApiDependencies, 'db' | 'config'>,
  ctx: Context,
  { preview, signInId }: { preview: Preview; signInId: string },
): Promise<string> {
  const domain = previewDomainOf(config);
  if (domain === null) {
    throw new ApiError(
      'unavailable',
      'This platform has no domain for previews: its operator sets PREVIEW_DOMAIN',
    );
  }
  const label = createLabel();
  const opening = { labelSha256: labelSha256(label), previewId: preview.id, signInId, seconds: openSeconds };
  await insertOpening(db, opening, { limit: maxOpen });
  return previewUrl(label, domain, platformOrigin(config, ctx));
}

/** Where it matters the database asks again by its own clock. */
export const isLive = ({ ended_at, expires_at }: Pick<Preview, 'ended_at' | 'expires_at'>): boolean =>
  ended_at === null && Date.parse(expires_at) > Date.now();
