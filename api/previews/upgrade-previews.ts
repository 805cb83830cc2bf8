/**
 * Which upgrades of a connection the API takes: WebSockets at hosts of previews. What is at such a host
 * decides `servePreviews`, as for every request.
 */
import type { ApiConfig } from '../../config/api.ts';
import { previewDomainOf } from '../../config/preview-domain.ts';
import type { TakesUpgrade } from '../upgrades.ts';
import { previewHostOf } from './origin.ts';

/**
 * The platform itself has no WebSockets: at its own hosts, a request that offers one
 * is answered as any other.
 */
export function upgradePreviews(
  config: Pick<ApiConfig, 'HOST' | 'PUBLIC_URL' | 'PREVIEW_DOMAIN'>,
): TakesUpgrade {
  const domain = previewDomainOf(config);
  return ({ headers }) => previewHostOf(headers.host ?? '', domain) !== null;
}
