// Asked for a token: at the first visit, or in front of the page when a session has ended. The page behind it stays as it was.
import { useState } from 'preact/hooks';
import { asProblem, type Problem } from '../api/problem';
import { identity, signIn } from '../data/identity';
import { linkFailure } from '../data/sign_in_link';
import { CommandLine } from '../parts/copy';
import { Brand } from '../parts/icon';
import { Trouble } from '../parts/loading';

export function SignIn() {
  const [token, setToken] = useState('');
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  const hasEnded = identity.value?.signed_in === true;
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    linkFailure.value = undefined;
    try {
      await signIn('Bearer', token.trim());
    } catch (error) {
      setProblem(asProblem(error));
      setBusy(false);
    }
  };
  return (
    <main class="sign-in">
      <form onSubmit={submit}>
        <h1 class="brand">
          <Brand />
          Muster
        </h1>
        <p>{hasEnded ? 'Your session has ended. Sign in again to go on where you were.' : 'This server asks for a token.'}</p>
        {linkFailure.value && (
          <>
            <Trouble problem={linkFailure.value} isAlone />
            <CommandLine command="muster dashboard" />
          </>
        )}
        <div class="field">
          <label for="token">Token</label>
          <input id="token" type="password" autocomplete="current-password" required autofocus value={token} onInput={(event) => setToken(event.currentTarget.value)} />
        </div>
        {problem && <Trouble problem={problem} isAlone />}
        <button type="submit" class="primary" disabled={isBusy || !token.trim()}>
          Sign in
        </button>
      </form>
    </main>
  );
}
