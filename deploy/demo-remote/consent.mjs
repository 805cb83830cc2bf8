/**
 * The interaction of an authorization request: one page on which a person says who they
 * are, and allows or denies.
 */
import { pageHeaders } from '../demo-identity/page.mjs';
import { readForm } from '../demo-identity/read-form.mjs';
import { consentPage } from './page.mjs';

const denied = { error: 'access_denied', error_description: 'The person did not allow it' };

/** Shows the page, and takes the decision. Rejects when the request is not known, or not any more. */
export async function askForConsent({ provider, people, resource }, request, response) {
  const { params } = await provider.interactionDetails(request, response);
  const form = request.method === 'POST' ? await readForm(request) : new URLSearchParams();
  const person = form.get('person') ?? '';
  if (form.get('decision') === 'deny') {
    await finish(provider, request, response, denied);
  } else if (form.get('decision') === 'allow' && Object.hasOwn(people, person)) {
    const grantId = await grant(provider, { params, person, resource });
    await finish(provider, request, response, {
      login: { accountId: person, remember: false },
      consent: { grantId },
    });
  } else {
    const client = await provider.Client.find(params.client_id);
    response.writeHead(200, pageHeaders);
    response.end(
      consentPage({
        client: { name: client.clientName ?? client.clientId, host: new URL(params.redirect_uri).host },
        scopes: scopesOf(params),
        people,
      }),
    );
  }
}

const finish = (provider, request, response, result) =>
  provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });

/** Exactly what was asked for, and shown. */
async function grant(provider, { params, person, resource }) {
  const made = new provider.Grant({ clientId: params.client_id, accountId: person });
  const scope = scopesOf(params).join(' ');
  made.addOIDCScope(scope);
  made.addResourceScope(resource, scope);
  return made.save();
}

const scopesOf = ({ scope = '' }) => scope.split(' ').filter((each) => each !== '');
