/** The authorization server of the official SDK, with refresh tokens that it rotates, and revocation. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DemoInMemoryAuthProvider } from '@modelcontextprotocol/sdk/examples/server/demoInMemoryOAuthProvider.js';
import { InvalidGrantError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import type { OAuthServerProvider } from '@modelcontextprotocol/sdk/server/auth/provider.js';
import { mcpAuthRouter } from '@modelcontextprotocol/sdk/server/auth/router.js';
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js';
import type { OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';

type Exchange = OAuthServerProvider['exchangeAuthorizationCode'];
type Refresh = OAuthServerProvider['exchangeRefreshToken'];
type Revoke = NonNullable<OAuthServerProvider['revokeToken']>;

class RotatingProvider extends DemoInMemoryAuthProvider implements OAuthServerProvider {
  readonly refreshTokens = new Set<string>();

  override async exchangeAuthorizationCode(...[client, code]: Parameters<Exchange>): Promise<OAuthTokens> {
    return this.withRefreshToken(await super.exchangeAuthorizationCode(client, code));
  }

  override async exchangeRefreshToken(...[, refreshToken]: Parameters<Refresh>): Promise<OAuthTokens> {
    if (!this.refreshTokens.delete(refreshToken)) {
      throw new InvalidGrantError(`${refreshToken} is unknown`);
    }
    return this.withRefreshToken({ access_token: randomUUID(), token_type: 'bearer', expires_in: 3600 });
  }

  async revokeToken(...[, { token }]: Parameters<Revoke>): Promise<void> {
    this.refreshTokens.delete(token);
  }

  private withRefreshToken(tokens: OAuthTokens): OAuthTokens {
    const refreshToken = randomUUID();
    this.refreshTokens.add(refreshToken);
    return { ...tokens, refresh_token: refreshToken };
  }
}

export interface SdkAuthorizationServer {
  issuer: string;
  host: string;
  /** Whether a refresh token is good. */
  knows(refreshToken: string): boolean;
  close(): Promise<void>;
}

export async function startSdkAuthorizationServer(): Promise<SdkAuthorizationServer> {
  const app = createMcpExpressApp();
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new RotatingProvider();
  app.use(mcpAuthRouter({ provider, issuerUrl: new URL(`http://${host}/`) }));
  return {
    issuer: `http://${host}/`,
    host,
    knows: (refreshToken) => provider.refreshTokens.has(refreshToken),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
