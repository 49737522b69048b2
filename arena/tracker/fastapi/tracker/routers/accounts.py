from fastapi import APIRouter, HTTPException, Request

from ..database import Database, User
from ..schemas import Login, NewRole, SignUp, UserOut
from ..security import Admin, CurrentUser, add_user, check_login, log_in

router = APIRouter(prefix="/api", tags=["accounts"])


@router.post("/signup", status_code=201)
async def sign_up(given: SignUp, request: Request, db: Database) -> UserOut:
    user = await add_user(db, given)
    log_in(request, user)
    return user


@router.post("/login")
async def login(given: Login, request: Request, db: Database) -> UserOut:
    return await check_login(request, db, given.name, given.password)


@router.post("/logout", status_code=204)
async def logout(request: Request):
    request.session.clear()


@router.get("/me")
async def me(user: CurrentUser) -> UserOut:
    return user


@router.put("/users/{user_id}/role")
async def set_role(user_id: int, given: NewRole, _: Admin, db: Database) -> UserOut:
    user = await db.get(User, user_id)
    if user is None:
        raise HTTPException(404, "There is no such user.")
    user.role = given.role
    await db.commit()
    return user
