import './app/content-security.ts';
import '@mantine/core/styles.css';
import './app/tokens.css';
import './app/library.css';
import './app/controls.css';
import './app/table.css';
import './app/page.css';
import './app/shell.css';
import './app/sign-in.css';
import './app/app.css';
import './app/call.css';
import './app/request.css';
import './app/session.css';
import './app/timeline.css';
import './app/markdown.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';

const root = document.getElementById('root');
if (root === null) {
  throw new Error('index.html has no element #root');
}
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
