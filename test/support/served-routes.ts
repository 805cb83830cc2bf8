import type { AnyRoute } from '../../api/route.ts';
import { allRoutes } from '../../api/routes.ts';
import { testConfig } from './api.ts';

const withOidc = {
  OIDC_ISSUER: 'https://identity.example',
  OIDC_CLIENT_ID: 'platform',
  PUBLIC_URL: 'https://platform.localhost',
};

/**
 * Every route, to be looked at and not asked. Each way of signing in has its routes only where it is
 * configured: here all are.
 */
export function servedRoutes(): readonly AnyRoute[] {
  const dependencies = Object.assign(Object.create(null), { config: testConfig(withOidc) });
  return allRoutes(dependencies);
}
