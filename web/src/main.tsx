import './app/content-security.ts';
import './app/library-styles.css';
import './app/tokens.css';
import './app/library.css';
import './app/controls.css';
import './app/page.css';
import './app/shell.css';
import './app/sign-in.css';
import './app/app.css';
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
