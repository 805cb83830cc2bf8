import { layOut } from '../demo-identity/page.mjs';

/** What each scope permits, for people. */
const meanings = {
  'tickets:read': 'see who you are, and read your tickets',
  'tickets:write': 'create tickets in your name',
  offline_access: 'continue until you disconnect it',
};

/**
 * The page on which a person says who they are and what the client may do. `client` (a name and a host) and
 * `scopes` are what the client says, so they are escaped; `people` is people.json, which is ours.
 */
export function consentPage({ client, scopes, people }) {
  const asked = scopes.map(
    (scope) =>
      `<li><code>${escapeMarkup(scope)}</code>${Object.hasOwn(meanings, scope) ? `: ${meanings[scope]}` : ''}</li>`,
  );
  const choices = Object.entries(people).map(
    ([id, { name }]) =>
      `<label><input type="radio" name="person" value="${id}" required> <b>${name}</b></label>`,
  );
  return layOut(
    'Sign in to the demo’s tickets',
    `<h1>Sign in to the demo’s tickets</h1>
<p class="warning"><strong>For demos only.</strong> There is no password: anyone who opens this page can be anyone.</p>
<p><b>${escapeMarkup(client.name)}</b> at <b>${escapeMarkup(client.host)}</b> asks to act as you:</p>
<ul>${asked.join('')}</ul>
<form method="post"><fieldset><legend>Who are you?</legend>${choices.join('')}</fieldset>
<button name="decision" value="allow">Allow</button>
<button name="decision" value="deny" formnovalidate>Deny</button></form>`,
  );
}

/** Who called what, as `openCalls` lists it; nothing in it is from outside. */
export function callsPage(calls) {
  const rows = calls.map(
    ({ at, tool, person }) => `<li>${at.toISOString()}: <code>${tool}</code> as <b>${person}</b></li>`,
  );
  const list = rows.length === 0 ? '<p>No tool was called yet.</p>' : `<ol>${rows.join('')}</ol>`;
  return layOut(
    'Calls of the demo’s tickets',
    `<h1>Calls of the demo’s tickets</h1><p>The last ones, each with the person that it was made as.</p>${list}`,
  );
}

const escapes = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escapeMarkup = (text) => text.replace(/[&<>"']/g, (sign) => escapes[sign]);
