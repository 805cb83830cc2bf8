/** The platform's own words at a preview's host. They say nothing of what is or was there. */
import type { Context } from 'koa';

const page = (title: string, text: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 20vh auto 0; padding: 0 1rem; }
h1 { font-size: 1.4rem; }
</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${text}</p>
</main>
</body>
</html>
`;

export const notOpenPage = page(
  'No preview is open here',
  'The preview has ended, or this address was good for a while and that is over. If the preview still exists, open it again from its page on the platform.',
);

export const noFilePage = page('There is no such file', 'The preview has no file at this address.');

export const startingPage = page(
  'The service is starting',
  'This preview runs a service, which does not answer yet. This page asks again by itself.',
);

export const endedServicePage = page(
  'The service has ended',
  'This preview ran a service, which does not run any more. The page of the preview on the platform says why.',
);

export const noAnswerPage = page(
  'The service does not answer',
  'The service of this preview received the request, and did not answer it in time.',
);

export const badAnswerPage = page(
  'The answer of the service was not passed on',
  'The service of this preview answered in a way that a preview may not, or led to another host.',
);

export function answerNotice(ctx: Context, status: number, page: string): void {
  ctx.status = status;
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = page;
}
