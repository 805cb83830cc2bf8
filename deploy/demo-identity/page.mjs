/** Of pages on which people decide something: nothing is loaded, and no other page frames them. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
};

/**
 * The page for choosing an identity. `people` is people.json, which is ours: nothing in it needs escaping.
 */
export function page(people) {
  const choices = Object.entries(people).map(
    ([id, { name, about }]) =>
      `<form method="post"><button name="person" value="${id}"><b>${name}</b><br><small>${about}</small></button></form>`,
  );
  return layOut(
    'Demo sign-in',
    `<h1>Who are you?</h1>
<p class="warning"><strong>For demos only.</strong> There is no password: anyone who opens this page can be anyone. Use your own identity
provider for everything else.</p>
${choices.join('\n')}`,
  );
}

/** A whole page. Both texts are markup, so what others wrote has to be escaped in them. */
export const layOut = (title, content) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 26rem; margin: 4rem auto; padding: 0 1rem; color: #1a1a1a; background: #fff;
  overflow-wrap: anywhere }
.warning { padding: .75rem 1rem; background: #fff3cd; border: 1px solid #d9a400; border-radius: .5rem }
fieldset { margin: 1rem 0; border: 1px solid #888; border-radius: .5rem }
label { display: block; padding: .35rem 0; cursor: pointer }
button { width: 100%; margin: .35rem 0; padding: .75rem 1rem; text-align: left; font: inherit; color: inherit;
  border: 1px solid #888; border-radius: .5rem; background: #f7f7f7; cursor: pointer }
button:hover, button:focus-visible { border-color: #1a1a1a; outline: 2px solid #1a1a1a }
</style></head>
<body><main>${content}</main></body></html>
`;
