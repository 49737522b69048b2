#include "assets.h"

namespace chat::assets {

const char* const kLobbyPage = R"html(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Chat</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/style.css">
<script type="module" src="/lobby.js"></script>
</head>
<body class="lobby">
<header class="top">
<a class="brand" href="/"><img src="/icon.svg" alt="" width="28" height="28">Chat</a>
</header>
<main>
<form class="card" action="/go">
<h1>Enter a room</h1>
<p class="soft" id="hint">Whoever knows its name meets there. A new name makes a new room.</p>
<label for="room">Name of the room</label>
<input id="room" name="room" required maxlength="32" autocomplete="off" autocapitalize="none"
spellcheck="false" placeholder="tea-kitchen" aria-describedby="hint">
<button class="primary">Enter</button>
</form>
<section id="busy" aria-labelledby="busy-title" hidden>
<h2 id="busy-title">Somebody is here</h2>
<ul id="rooms" class="rooms"></ul>
</section>
</main>
<footer class="bottom">Served by Eider</footer>
</body>
</html>
)html";

const char* const kRoomPage = R"html(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Chat</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/style.css">
<script type="module" src="/room.js"></script>
</head>
<body class="room">
<header class="top">
<a class="brand" href="/" aria-label="All rooms"><img src="/icon.svg" alt="" width="28"
height="28"></a>
<h1 id="room"></h1>
<p id="state" class="state" role="status"></p>
</header>
<main>
<noscript><p class="card">This page needs JavaScript.</p></noscript>
<form id="join" class="card" hidden>
<h2>Who are you?</h2>
<label for="name">Your name, as others see it</label>
<input id="name" required maxlength="24" autocomplete="nickname" aria-describedby="join-fault">
<p id="join-fault" class="fault" role="alert"></p>
<button class="primary">Enter</button>
</form>
<div id="talk" class="talk" hidden>
<details id="here" class="here">
<summary><span id="count"></span> here</summary>
<ul id="people" class="people"></ul>
<button id="rename" class="plain" type="button">Change my name</button>
</details>
<section class="said" aria-label="Conversation">
<div id="log" class="log" role="log" aria-live="off" aria-label="Messages" tabindex="0"></div>
<button id="newer" class="newer" type="button" hidden>Newer messages &darr;</button>
<p id="writing" class="writing"></p>
<form id="say" class="say">
<label class="unseen" for="text">Message</label>
<textarea id="text" rows="1" maxlength="1000" enterkeyhint="send"
placeholder="Write a message"></textarea>
<button class="primary" aria-label="Send"><svg viewBox="0 0 24 24" width="22" height="22"
aria-hidden="true"><path d="M4 12h14M12 5l7 7-7 7" fill="none" stroke="currentColor"
stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"/></svg></button>
</form>
</section>
</div>
</main>
</body>
</html>
)html";

const char* const kIcon = R"svg(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="8" fill="#4b57c8"/>
<path d="M7 9.5A2.5 2.5 0 0 1 9.5 7h13A2.5 2.5 0 0 1 25 9.5v8a2.5 2.5 0 0 1-2.5 2.5H15l-5 5v-5h-.5
A2.5 2.5 0 0 1 7 17.5z" fill="#fff"/>
<g fill="#4b57c8"><circle cx="12" cy="13.5" r="1.5"/><circle cx="16" cy="13.5" r="1.5"/>
<circle cx="20" cy="13.5" r="1.5"/></g>
</svg>
)svg";

}  // namespace chat::assets
